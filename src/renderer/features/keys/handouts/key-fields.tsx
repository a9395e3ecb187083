import type { HandoutResult, PlanView, ToolView } from '@shared/contract'
import { Check, Copy, Eye, KeyRound, Printer } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatList, useFormats } from '../../../format'
import { planPath } from '../../../paths'
import { useToastAction } from '../../../toast-actions'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Chips } from '../../../ui/chips'
import { IconButton } from '../../../ui/icon-button'
import { RadioCards } from '../../../ui/radio-cards'
import { SelectField } from '../../../ui/select'
import { Hint } from '../../../ui/text'
import { toast } from '../../../ui/toast'
import { isOnComputer } from '../../tools'
import { canCreateKeys, chosenKey, type Handout, isKeyCreated, listIssuableKeys, useHandoutsStore } from './use-handout'

interface PartProps {
  readonly form: Handout
  readonly plan: PlanView
}

interface PlanFieldProps {
  readonly plans: readonly PlanView[]
  readonly plan: PlanView
  readonly onPlan: (planId: string) => void
}

export function PlanField({ plans, plan, onPlan }: PlanFieldProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  return (
    <SelectField
      label={t('plan')}
      hint={t('planHint')}
      value={plan.id}
      onValueChange={onPlan}
      options={plans.map((planOption) => ({
        value: planOption.id,
        label: planOption.label ?? planOption.name,
        hint: canCreateKeys(planOption) ? undefined : t('cannotMake'),
      }))}
    />
  )
}

function Preview({ form, plan }: PartProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { locale } = useFormats()
  const { preview, isFull } = form
  if (!preview) return null
  const { alsoServes, makesKey, keyName, freeSlots } = preview
  if (isFull) {
    const actions = [{ label: t('toKeys'), to: `${planPath(plan.id)}?tab=keys` }]
    return (
      <Callout tone="warning" title={t('noFree')} actions={actions}>
        {t('noFreeText')}
      </Callout>
    )
  }
  if (alsoServes.length > 0) {
    const names = formatList(alsoServes, locale)
    return (
      <Callout tone="warning" title={t('serves', { names })}>
        {t('servesText')}
      </Callout>
    )
  }
  return makesKey ? (
    <Hint role="status">
      {t('willBe', { key: keyName })} {freeSlots === undefined ? null : t('free', { count: freeSlots })}
    </Hint>
  ) : null
}

export function KeyFields({ form, plan }: PartProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { draft, change } = form
  return (
    <>
      {canCreateKeys(plan) ? (
        <RadioCards
          label={t('key')}
          columns={2}
          value={draft.source}
          onValueChange={(source) => change({ source })}
          options={[
            {
              value: 'own',
              label: t('own'),
              hint: t('ownHint'),
              badge: <Badge tone="accent">{t('recommended')}</Badge>,
            },
            { value: 'existing', label: t('existing'), hint: t('existingHint') },
          ]}
        />
      ) : (
        <Callout tone="warning" title={t('noOwn')} />
      )}
      {isKeyCreated(plan, draft) ? null : (
        <SelectField
          label={t('whichKey')}
          required
          value={chosenKey(plan, draft)}
          placeholder={t('choose')}
          onValueChange={(keyId) => change({ keyId })}
          options={listIssuableKeys(plan).map(({ id, name, masked }) => ({ value: id, label: name, hint: masked }))}
        />
      )}
      <Preview form={form} plan={plan} />
    </>
  )
}

export function PassphraseButtons({
  result,
  isCompact,
}: {
  readonly result: HandoutResult
  readonly isCompact?: true
}) {
  const { t } = useTranslation('handouts')
  const { copy, show, isCopying, isShowing, taken } = usePassphrases([result])
  if (!result.hasPassphrase) return null
  const holder = result.holder.name
  if (isCompact) {
    return (
      <>
        {taken ? <Badge tone="success">{t(`result.${taken}`)}</Badge> : null}
        <IconButton
          icon={taken ? Check : KeyRound}
          size="sm"
          label={t('result.copyPassphraseOf', { holder })}
          busy={isCopying}
          onClick={copy}
        />
        <IconButton
          icon={Eye}
          size="sm"
          label={t('result.showPassphraseOf', { holder })}
          busy={isShowing}
          onClick={show}
        />
      </>
    )
  }
  return (
    <>
      <Button icon={Copy} variant="primary" busy={isCopying} onClick={copy}>
        {t('result.copyPassphrase')}
      </Button>
      <Button icon={Eye} busy={isShowing} onClick={show}>
        {t('result.showPassphrase')}
      </Button>
    </>
  )
}

export function PassphraseListButtons({ results }: { readonly results: readonly HandoutResult[] }) {
  const { t } = useTranslation('handouts')
  const lockedResults = results.filter(({ hasPassphrase }) => hasPassphrase)
  const { copy, show, print, isCopying, isShowing, isPrinting } = usePassphrases(lockedResults)
  if (lockedResults.length < 2) return null
  return (
    <>
      <Button size="sm" icon={Copy} busy={isCopying} onClick={copy}>
        {t('result.copyAll')}
      </Button>
      <Button size="sm" icon={Eye} busy={isShowing} onClick={show}>
        {t('result.showAll')}
      </Button>
      <Button size="sm" icon={Printer} busy={isPrinting} onClick={print}>
        {t('result.printAll')}
      </Button>
    </>
  )
}

/** The main process copies, prints or shows passphrases, so that they never enter the window. */
function usePassphrases(results: readonly HandoutResult[]) {
  const { t } = useTranslation('handouts')
  const { duration } = useFormats()
  const taken = useHandoutsStore((store) => store.taken)
  const ids = results.map(({ id }) => id)
  const noteTaken = (method: 'isCopied' | 'isPrinted'): void =>
    useHandoutsStore.setState({ taken: new Map([...taken, ...ids.map((id) => [id, method] as const)]) })
  const copyPassphrasesAction = useToastAction('handouts.copyPassphrases', {
    onSuccess: ({ clearsAfterMs }) => {
      noteTaken('isCopied')
      const description = t('result.copiedHint', { time: duration(clearsAfterMs) })
      void toast(t('result.copied', { count: ids.length }), { description })
    },
  })
  const showPassphrases = useToastAction('handouts.showPassphrases')
  const printPassphrases = useToastAction('handouts.printPassphrases', {
    onSuccess: ({ outcome }) => {
      if (outcome === 'printed') {
        noteTaken('isPrinted')
        void toast(t('result.printed', { count: ids.length }))
      }
      if (outcome === 'failed') void toast(t('result.printFailed'), { tone: 'danger' })
    },
  })
  return {
    taken: ids[0] === undefined ? undefined : taken.get(ids[0]),
    copy: () => copyPassphrasesAction.mutate({ ids }),
    show: () => showPassphrases.mutate({ ids }),
    print: () => printPassphrases.mutate({ ids }),
    isCopying: copyPassphrasesAction.isPending,
    isShowing: showPassphrases.isPending,
    isPrinting: printPassphrases.isPending,
  }
}

interface ToolsFieldProps {
  readonly tools: readonly ToolView[]
  readonly chosen: readonly string[]
  readonly onChange: (toolIds: readonly string[]) => void
}

/** Tools for which the key file contains instructions. Others than on this computer are shown on demand. */
export function ToolsField({ tools, chosen, onChange }: ToolsFieldProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const [isAll, setIsAll] = useState(false)
  const usableTools = tools
    .filter(({ kind, routes }) => kind === 'guided' || (kind === 'written' && routes.includes('gateway')))
    .toSorted((a, b) => Number(isOnComputer(b)) - Number(isOnComputer(a)) || a.name.localeCompare(b.name))
  const firstTools = usableTools.filter((tool) => isOnComputer(tool) || chosen.includes(tool.id))
  const shownTools = isAll || firstTools.length === 0 ? usableTools : firstTools
  const moreCount = usableTools.length - shownTools.length
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium">{t('tools')}</p>
      <div className="flex flex-wrap items-start gap-1.5">
        <Chips
          label={t('tools')}
          chips={shownTools.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={chosen}
          onChange={onChange}
        />
        {moreCount > 0 ? (
          <Button size="sm" variant="ghost" onClick={() => setIsAll(true)}>
            {t('moreTools', { count: moreCount })}
          </Button>
        ) : null}
      </div>
      <Hint>{t('toolsHint')}</Hint>
    </div>
  )
}
