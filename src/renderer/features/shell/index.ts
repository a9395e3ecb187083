export { places, settingsPlace } from './places'
export { Mark } from './rail'
