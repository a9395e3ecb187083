export { axisWidth, rightGap, valueTicks } from './points'
export { PlanTrend, ToolTrend, WeekCard, type WeekPlan } from './week-card'
