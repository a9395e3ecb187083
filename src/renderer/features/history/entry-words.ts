import type { HistoryEntry, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'

type Change = HistoryEntry['tools'][number]
type Kind = Change['kind']

const kinds: readonly Kind[] = ['apply', 'restore', 'rewind', 'letGo']

/** What a write was, in a sentence: one part for each kind of change, naming its tools. */
export function useEntryWords(tools: readonly ToolView[]): (entry: HistoryEntry) => string {
  const { t } = useTranslation('history')
  const { locale } = useFormats()
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  const nameOf = (id: string): string => tools.find((tool) => tool.id === id)?.name ?? id
  const sentence = (kind: Kind, changes: readonly Change[]): string => {
    const names = list.format([...new Set(changes.map(({ toolId }) => nameOf(toolId)))])
    const plans = [...new Set(changes.flatMap(({ planName }) => planName ?? []))]
    if (kind === 'apply' && plans.length > 0) return t('what.applyWith', { tools: names, plan: list.format(plans) })
    return t(`what.${kind}`, { tools: names })
  }
  return (entry) =>
    kinds
      .map((kind) => [kind, entry.tools.filter((change) => change.kind === kind)] as const)
      .filter(([, changes]) => changes.length > 0)
      .map(([kind, changes]) => sentence(kind, changes))
      .join(' ')
}
