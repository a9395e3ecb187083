export { StartOptions, useStartActions } from './onboarding'
