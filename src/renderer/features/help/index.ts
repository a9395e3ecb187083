export { ShortcutList } from './shortcut-list'
