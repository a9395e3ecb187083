export { AlertSection } from './alert-settings'
