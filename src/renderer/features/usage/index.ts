export { PlanTrend, ToolUsageTrend, WeekCard, WeekCardPlaceholder, type WeekPlan } from './week-card'
