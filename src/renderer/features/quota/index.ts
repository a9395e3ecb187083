export { readAmount } from './allowances-dialog'
export { AllowanceGauge, GlanceGauges, tightestOf, useGlanceForecast } from './gauge'
export { modelIn, QuotaList, RefreshQuotaButton, usePlanQuota, useQuota } from './quota-list'
