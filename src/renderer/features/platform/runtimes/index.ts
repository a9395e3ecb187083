export { runtimes, runtimesSection } from './runtimes'
