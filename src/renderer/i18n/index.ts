import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en'
import { vi } from './vi'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: typeof en
  }
}

export type Locale = 'en' | 'vi'

/** Shows the window in a language. Both are always there: a language is a few kilobytes, and a start that waits for one is felt. */
export async function setLocale(locale: Locale): Promise<void> {
  await i18next.changeLanguage(locale)
  document.documentElement.lang = locale
}

/** Sets up the texts in the language given; to be awaited before the first render. */
export async function startI18n(locale: Locale): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: locale,
    fallbackLng: 'en',
    resources: { en, vi },
    ns: Object.keys(en),
    defaultNS: 'common',
    interpolation: { escapeValue: false },
  })
  document.documentElement.lang = locale
}
