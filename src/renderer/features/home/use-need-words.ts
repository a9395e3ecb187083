import type { ToolView } from '@shared/contract'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import type { Need } from './needs'

/** What a person reads about one need. */
export interface NeedWords {
  readonly title: string
  readonly text: string
  readonly action: string
}

type NeedOf<K extends Need['kind']> = Extract<Need, { readonly kind: K }>

interface Speech {
  readonly t: TFunction<'home', 'needs'>
  readonly explain: ReturnType<typeof useFailureWords>
  /** A moment, as far from now. */
  readonly when: (iso: string) => string
  /** Tools by name, as a list. */
  readonly named: (toolIds: readonly string[]) => string
}

function unreadable({ tool, problem }: NeedOf<'toolUnreadable'>, { t, explain }: Speech): NeedWords {
  const action = t('toolUnreadable.action')
  if (!problem) return { title: t('toolUnreadable.title', { tool: tool.name }), text: t('toolUnreadable.text'), action }
  const words = explain(problem, { tool: tool.name, file: tool.file })
  return { title: t('toolUnreadable.titled', { tool: tool.name, title: words.title }), text: words.explanation, action }
}

function failing({ plan, check }: NeedOf<'planFailing'>, { t, explain }: Speech): NeedWords {
  const { modelCode, requestAddress, status } = check
  const words = explain(check.failure, { plan: plan.name, modelCode, requestAddress, status })
  const title = t('planFailing.title', { plan: plan.name, title: words.title })
  return { title, text: words.remedy, action: t('planFailing.action') }
}

function failingTool({ tool, check }: NeedOf<'toolFailing'>, { t, explain }: Speech): NeedWords {
  const { modelCode, requestAddress, status } = check
  const words = explain(check.failure, {
    tool: tool.name,
    plan: tool.applied?.planName,
    modelCode,
    requestAddress,
    status,
  })
  const title = t('toolFailing.title', { tool: tool.name, title: words.title })
  return { title, text: words.remedy, action: t('toolFailing.action') }
}

const stopped = ({ plan, failure }: NeedOf<'sandboxStopped'>, { t, named }: Speech): NeedWords => ({
  title: failure ? t('sandboxStopped.failed') : t('sandboxStopped.title'),
  text: plan.usedBy.length === 0 ? t('sandboxStopped.unused') : t('sandboxStopped.text', { tools: named(plan.usedBy) }),
  action: t('sandboxStopped.action'),
})

function simple(need: NeedOf<'keyMissing' | 'planExpired' | 'planExpiring'>, { t, when }: Speech): NeedWords {
  const names = { plan: need.plan.name, when: need.kind === 'keyMissing' ? '' : when(need.expiresAt) }
  return {
    title: t(`${need.kind}.title`, names),
    text: t(`${need.kind}.text`, names),
    action: t(`${need.kind}.action`),
  }
}

const drifted = ({ tool }: NeedOf<'toolDrifted'>, { t }: Speech): NeedWords => ({
  title: t('toolDrifted.title', { tool: tool.name }),
  text: t('toolDrifted.text', { settings: tool.drift.join(', ') }),
  action: t('toolDrifted.action'),
})

const noKeychain = ({ t }: Speech): NeedWords => ({
  title: t('noKeychain.title'),
  text: t('noKeychain.text'),
  action: t('noKeychain.action'),
})

function wordsOf(need: Need, speech: Speech): NeedWords {
  if (need.kind === 'toolUnreadable') return unreadable(need, speech)
  if (need.kind === 'planFailing') return failing(need, speech)
  if (need.kind === 'toolFailing') return failingTool(need, speech)
  if (need.kind === 'sandboxStopped') return stopped(need, speech)
  if (need.kind === 'toolDrifted') return drifted(need, speech)
  return need.kind === 'noKeychain' ? noKeychain(speech) : simple(need, speech)
}

/** Words for a need in the language of the window. `tools` names those that a plan is used by. */
export function useNeedWords(tools: readonly ToolView[], now: Date): (need: Need) => NeedWords {
  const { t } = useTranslation('home', { keyPrefix: 'needs' })
  const { relative, locale } = useFormats()
  const explain = useFailureWords()
  const when = (iso: string): string => relative(iso, now).short
  const named = (ids: readonly string[]): string =>
    new Intl.ListFormat(locale).format(ids.map((id) => tools.find((tool) => tool.id === id)?.name ?? id))
  return (need) => wordsOf(need, { t, explain, when, named })
}
