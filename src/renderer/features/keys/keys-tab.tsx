import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
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

function Ready({ connectionId, plan, keys }: KeysProps & { readonly keys: readonly SubscriptionKeyView[] }) {
  const { t } = useTranslation('keys')
  const [asked, ask] = useState<Asked>()
  const [isAdding, setIsAdding] = useState(false)
  const actions = useKeyActions({ connectionId, plan, onAsk: (question, of) => ask({ question, of }) })
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
      actions={keys.length === 0 ? null : add}
    >
      {keys.length === 0 ? (
        <EmptyState icon={KeyRound} title={t('empty')} actions={add}>
          {t('emptyText')}
        </EmptyState>
      ) : (
        <KeysTable keys={keys} actions={actions} isMasked={!plan.provisioned} />
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
