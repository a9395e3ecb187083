export { AlertSection, WebhookSection } from './alert-settings'
