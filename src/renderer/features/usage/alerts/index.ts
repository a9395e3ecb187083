export { AlertSection } from './alert-settings'
export { WebhookSection } from './webhook-section'
