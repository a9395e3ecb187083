export { PlanTrend, ToolTrend, WeekCard, type WeekPlan, WeekRoom } from './week-card'
