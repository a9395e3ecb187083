export { places, settingsPlace } from './places'
export { Mark } from './rail'
export { ShortcutList } from './shortcut-list'
