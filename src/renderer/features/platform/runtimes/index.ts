export { runtimes } from './runtimes'
