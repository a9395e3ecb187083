import i18next from 'i18next'
import { createContext, useContext } from 'react'
import type { Locale } from '../format'
import { en } from './en'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: typeof en
  }
}

/** The language of the texts on the screen. */
export const LocaleContext = createContext<Locale>('en')

/** Renders a memoized component again after the user has changed the language. */
export const useLocaleChange = (): void => void useContext(LocaleContext)

/** Switches the language. Loads Vietnamese on first use. */
export async function setLocale(locale: Locale): Promise<void> {
  await changeLanguage(locale)
  document.documentElement.lang = locale
}

async function changeLanguage(locale: Locale): Promise<void> {
  if (!i18next.hasResourceBundle(locale, 'common')) {
    const { vi } = await import('./vi')
    for (const [namespace, texts] of Object.entries(vi)) i18next.addResourceBundle(locale, namespace, texts)
  }
  await i18next.changeLanguage(locale)
}

/** Loads the texts of the user's language. Must have completed before the first render. */
export async function startI18n(locale: Locale): Promise<void> {
  await i18next.init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en },
    ns: Object.keys(en),
    defaultNS: 'common',
    // Explicit defaults avoid separator detection for each key.
    keySeparator: '.',
    nsSeparator: ':',
    interpolation: { escapeValue: false },
  })
  await changeLanguage(locale)
}
