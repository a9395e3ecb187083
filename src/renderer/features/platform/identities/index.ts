export { identityResources } from './section'
