export { useBegin, Ways } from './onboarding'
