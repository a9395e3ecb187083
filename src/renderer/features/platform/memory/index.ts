export { memories } from './memories'
