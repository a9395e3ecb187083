export { readAmount } from './allowances-dialog'
export { AllowanceGauge, CompactGauges, findTightestModel, renderForecastSummary } from './gauge'
export {
  findModel,
  type ModelQuotas,
  QuotaList,
  RefreshQuotaButton,
  useModelQuotas,
  usePlanQuota,
  useQuota,
} from './quota-list'
