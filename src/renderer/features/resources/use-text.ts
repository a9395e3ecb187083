import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { namespaces, type Text } from './resource'

/** Puts the words of a declaration into the language of the window. */
export function useText(): (text: Text, name?: string) => string {
  const { t } = useTranslation(namespaces)
  return useCallback((text, name = '') => text(t, { name }), [t])
}
