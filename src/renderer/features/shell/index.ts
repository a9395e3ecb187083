export { navigationItems, settingsItem } from './navigation'
export { Mark } from './rail'
