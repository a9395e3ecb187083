export { readAmount } from './allowances-dialog'
export { AllowanceGauge, findTightest, GlanceGauges, useGlanceForecast } from './gauge'
export { findModel, QuotaList, RefreshQuotaButton, usePlanQuota, useQuota } from './quota-list'
