import type { UsageErrorKind, UsageShare, UsageSource, UsageSplit } from '@shared/contract'
import { useTranslation } from 'react-i18next'

type ErrorWords = { readonly [K in UsageErrorKind]: `errorKinds.${K}` }
type SourceWords = { readonly [S in UsageSource]: `requests.sources.${S}` }

const errorWords: ErrorWords = {
  key: 'errorKinds.key',
  plan: 'errorKinds.plan',
  model: 'errorKinds.model',
  path: 'errorKinds.path',
  quota: 'errorKinds.quota',
  rateLimit: 'errorKinds.rateLimit',
  badRequest: 'errorKinds.badRequest',
  server: 'errorKinds.server',
  network: 'errorKinds.network',
  aborted: 'errorKinds.aborted',
  cut: 'errorKinds.cut',
  relay: 'errorKinds.relay',
}

const sourceWords: SourceWords = {
  console: 'requests.sources.console',
  relay: 'requests.sources.relay',
  toolLog: 'requests.sources.toolLog',
  app: 'requests.sources.app',
}

/** The words of an id that has some, in a table of them. */
const wordsIn = <Words extends string>(table: Readonly<Record<string, Words>>, id: string): Words | undefined =>
  Object.hasOwn(table, id) ? table[id] : undefined

/** What a part of a split is called: its name, words for what has none, its id where nothing better is known. */
export function useShareNames(): (by: UsageSplit, share: UsageShare) => string {
  const { t } = useTranslation('usage')
  return (by, { id, name }) => {
    const words = by === 'error' ? wordsIn(errorWords, id) : by === 'source' ? wordsIn(sourceWords, id) : undefined
    if (words !== undefined) return t(words)
    return name ?? (id === '' ? t(`shares.unnamed.${by}`) : id)
  }
}
