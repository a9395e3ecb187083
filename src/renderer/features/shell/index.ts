export { Mark, navigationItems, settingsItem } from './rail'
