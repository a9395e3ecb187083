export { ShortcutList } from './help-lists'
