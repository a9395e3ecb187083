export { readAmount } from './allowances-dialog'
export { AllowanceGauge, CompactGauges, findTightestModel, useForecastSummary } from './gauge'
export { type ModelQuotas, useModelQuotas } from './model-quotas'
export { findModel, QuotaList, RefreshQuotaButton, usePlanQuota, useQuota } from './quota-list'
