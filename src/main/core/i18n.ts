import { createInstance } from 'i18next'
import en from '../../renderer/locales/en/system.json'
import vi from '../../renderer/locales/vi/system.json'

export type Locale = 'en' | 'vi'

/** Keys of nested texts, joined by dots. A plural text has one key for all forms. */
type TextKey<T, Path extends string = ''> = {
  [K in keyof T & string]: T[K] extends string
    ? `${Path}${K extends `${infer Base}_${'one' | 'other'}` ? Base : K}`
    : TextKey<T[K], `${Path}${K}.`>
}[keyof T & string]

/** Translates a key and inserts values literally, including any braces. */
export type TranslateText = (key: TextKey<typeof en>, values?: Readonly<Record<string, string | number>>) => string

const i18n = createInstance({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { system: en }, vi: { system: vi } },
  defaultNS: 'system',
  initAsync: false,
  interpolation: { escapeValue: false },
})
void i18n.init()

/** Translations outside of the page: dialogs, menus, tray and notifications. */
export function translator(locale: Locale): TranslateText {
  const translate = i18n.getFixedT(locale)
  return (key, values = {}) => String(translate(key, values))
}
