import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { KeyRound, Plus, RotateCw, Send } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import toolbar from '../../ui/toolbar.module.css'
import { handoutPath } from '../handouts/paths'
import { type KeyHere, rotateManyPath } from '../rotation/paths'
import { AddKeyDialog } from './add-key-dialog'
import { DeleteKeyQuestion, DisableKeyQuestion } from './key-questions'
import { KeysTable } from './keys-table'
import { RenameKeyDialog } from './rename-key-dialog'
import { type KeyQuestion, useKeyActions } from './use-key-actions'

interface KeysProps {
  readonly connectionId: string
  readonly plan: AccountPlanView
}

type Asked = { readonly question: KeyQuestion; readonly of: SubscriptionKeyView } | undefined

function Question({
  connectionId,
  plan,
  keys,
  asked,
  onClose,
}: KeysProps & { readonly keys: readonly SubscriptionKeyView[]; readonly asked: Asked; readonly onClose: () => void }) {
  if (!asked) return null
  const { question, of } = asked
  const address = { connectionId, planId: plan.planId, keyId: of.keyId }
  if (question === 'rename') return <RenameKeyDialog address={address} keys={keys} onClose={onClose} />
  if (question === 'disable') return <DisableKeyQuestion address={address} of={of} onClose={onClose} />
  return <DeleteKeyQuestion address={address} of={of} onClose={onClose} />
}

/** Which keys are ticked, as this computer names them; only those that can be rotated may be. */
function useTicked(keys: readonly SubscriptionKeyView[], hereOf: (of: SubscriptionKeyView) => KeyHere | undefined) {
  const { t } = useTranslation('keys')
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const chosen = keys.flatMap((of) => (ticked.has(of.keyId) ? (hereOf(of) ?? []) : []))
  const selection = {
    keys: ticked,
    onChange: setTicked,
    canSelect: (of: SubscriptionKeyView): boolean => hereOf(of) !== undefined,
    labelOf: ({ name }: SubscriptionKeyView): string => t('select', { name }),
    allLabel: t('selectAll'),
  }
  return {
    chosen,
    // One key alone has its own button; a column of ticks for it says nothing.
    selection: keys.filter(selection.canSelect).length > 1 ? selection : undefined,
    clear: () => setTicked(new Set()),
  }
}

function SelectionBar({ chosen, onClear }: { readonly chosen: readonly KeyHere[]; readonly onClear: () => void }) {
  const { t } = useTranslation(['keys', 'rotation'])
  const count = chosen.length
  return (
    <section className={toolbar.selected} aria-label={t('keys:selected', { count })}>
      <p role="status" className={toolbar.chosen}>
        {t('keys:selected', { count })}
      </p>
      <Button size="sm" variant="ghost" onClick={onClear}>
        {t('keys:clearSelection')}
      </Button>
      <ButtonLink size="sm" variant="primary" icon={RotateCw} to={rotateManyPath(chosen)}>
        {t('rotation:rotateCount', { count })}
      </ButtonLink>
    </section>
  )
}

function Actions({ plan, children }: { readonly plan: AccountPlanView; readonly children: ReactNode }) {
  const { t } = useTranslation('keys')
  return (
    <>
      {plan.localPlanId !== undefined && plan.status === 'ACTIVE' ? (
        <ButtonLink icon={Send} to={handoutPath({ planId: plan.localPlanId })}>
          {t('handOut')}
        </ButtonLink>
      ) : null}
      {children}
    </>
  )
}

function Ready({ connectionId, plan, keys }: KeysProps & { readonly keys: readonly SubscriptionKeyView[] }) {
  const { t } = useTranslation('keys')
  const [asked, ask] = useState<Asked>()
  const [isAdding, setIsAdding] = useState(false)
  const actions = useKeyActions({ connectionId, plan, onAsk: (question, of) => ask({ question, of }) })
  const { chosen, selection, clear } = useTicked(keys, actions.hereOf)
  const isFull = keys.length >= plan.maxKeys
  const canAdd = plan.provisioned && plan.status === 'ACTIVE' && !isFull
  const add = canAdd ? (
    <Button icon={Plus} variant={keys.length === 0 ? 'primary' : 'secondary'} onClick={() => setIsAdding(true)}>
      {t('add')}
    </Button>
  ) : null
  return (
    <Section
      title={plan.provisioned ? t(isFull ? 'full' : 'count', { used: keys.length, max: plan.maxKeys }) : t('masked')}
      description={t('hint')}
      actions={keys.length === 0 ? null : <Actions plan={plan}>{add}</Actions>}
    >
      {chosen.length > 0 ? <SelectionBar chosen={chosen} onClear={clear} /> : null}
      {keys.length === 0 ? (
        <EmptyState icon={KeyRound} title={t('empty')} actions={add}>
          {t('emptyText')}
        </EmptyState>
      ) : (
        <KeysTable keys={keys} actions={actions} isMasked={!plan.provisioned} selection={selection} />
      )}
      <Question connectionId={connectionId} plan={plan} keys={keys} asked={asked} onClose={() => ask(undefined)} />
      {isAdding ? (
        <AddKeyDialog connectionId={connectionId} plan={plan} keys={keys} onClose={() => setIsAdding(false)} />
      ) : null}
    </Section>
  )
}

/** The subscription keys of a plan. */
export function KeysTab({ connectionId, plan }: KeysProps) {
  const query = useCall('account.keys', { connectionId, planId: plan.planId })
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={3} />}>
      {(keys) => <Ready connectionId={connectionId} plan={plan} keys={keys} />}
    </Loaded>
  )
}
