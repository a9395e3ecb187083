export { axisWidth, rightGap, valueTicks } from './points'
export { PlanTrend, ToolTrend, WeekCard, type WeekPlan, WeekRoom } from './week-card'
