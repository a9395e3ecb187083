import { useMemo } from 'react'
import { useFormats } from '../../format'

/** Names as a list in a sentence: `Claude Code, pi and Droid`. */
export function useNameList(): (names: readonly string[]) => string {
  const { locale } = useFormats()
  return useMemo(() => {
    const list = new Intl.ListFormat(locale, { type: 'conjunction' })
    return (names) => list.format(names)
  }, [locale])
}
