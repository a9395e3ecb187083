export { readAmount } from './allowances-dialog'
export { AllowanceGauge, findTightest, GlanceGauges, useGlanceForecast } from './gauge'
export { modelIn, QuotaList, RefreshQuotaButton, usePlanQuota, useQuota } from './quota-list'
