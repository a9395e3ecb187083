import type { RotatedTool } from '@shared/contract'
import { useFormats } from '../../format'
import { useSiteWords } from '../tools/use-site-words'

/** The names of tools as a list, each with its site where that is not this user's home. */
export function useToolNames(): (tools: readonly Pick<RotatedTool, 'toolName' | 'site'>[]) => string {
  const { locale } = useFormats()
  const siteWords = useSiteWords()
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  return (tools) =>
    list.format(
      tools.map(({ toolName, site }) => (site.kind === 'user' ? toolName : `${toolName} (${siteWords(site)})`)),
    )
}
