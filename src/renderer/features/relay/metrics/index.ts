export { MetricsSection } from './metrics-section'
