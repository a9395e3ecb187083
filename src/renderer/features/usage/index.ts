export { axisWidth, rightGap, valueTicks } from './chart-geometry'
export { PlanTrend, ToolTrend } from './trend'
