import { en } from '../../../../src/renderer/i18n/en'
import { vi } from '../../../../src/renderer/i18n/vi'
import systemEn from '../../../../src/renderer/locales/en/system.json'
import systemVi from '../../../../src/renderer/locales/vi/system.json'

/** All texts of a locale file with their dotted keys. */
function listTexts(tree: object, path = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const textKey = path === '' ? key : `${path}.${key}`
    return typeof value === 'string' ? [[textKey, value] as [string, string]] : listTexts(value, textKey)
  })
}

/** All texts of the window and the system by their keys. */
export const englishTexts = new Map(listTexts({ ...en, system: systemEn }))
export const vietnameseTexts = new Map(listTexts({ ...vi, system: systemVi }))
