export { axisWidth, rightGap, valueTicks } from './chart-geometry'
export { PlanTrend, ToolTrend } from './trend'
export { WeekCard, type WeekPlan } from './week-card'
