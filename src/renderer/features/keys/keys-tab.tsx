import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { planRefText } from '@shared/key-ids'
import { KeyRound, Plus, RotateCw, Send } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { handoutPath, rotateManyPath } from '../../paths'
import { type Action, Button, ButtonLink } from '../../ui/button'
import { ConfirmDialog, Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { EmptyState, Section, SelectionBar } from '../../ui/page'
import { Hint, NameList } from '../../ui/text'
import { closeWithToast, toast } from '../../ui/toast'
import { maxKeyNameLength, readKeyName, useToolNames } from '../connections/account'
import { type KeyDialogKind, KeysTable, useKeyActions } from './keys-table'

interface KeysProps {
  readonly connectionId: string
  readonly plan: AccountPlanView
}

interface KeyDialogProps extends KeysProps {
  readonly of: SubscriptionKeyView
  readonly keys: readonly SubscriptionKeyView[]
  readonly onClose: () => void
}

const keyDialogs = { rename: NameDialog, disable: DisableKeyQuestion, delete: DeleteKeyQuestion }

function KeyList({ connectionId, plan, keys }: KeysProps & { readonly keys: readonly SubscriptionKeyView[] }) {
  const { t } = useTranslation(['keys', 'rotation'])
  const [pending, setPending] = useState<{ Dialog: (typeof keyDialogs)[KeyDialogKind]; of: SubscriptionKeyView }>()
  const [isAdding, setIsAdding] = useState(false)
  const actions = useKeyActions(connectionId, plan, (question, of) => setPending({ Dialog: keyDialogs[question], of }))
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const chosen = keys.flatMap((key) => (ticked.has(key.keyId) ? (actions.findLocalKey(key) ?? []) : []))
  const count = chosen.length
  const selection = {
    keys: ticked,
    onChange: setTicked,
    canSelect: (key: SubscriptionKeyView): boolean => actions.findLocalKey(key) !== undefined,
    getLabel: ({ name }: SubscriptionKeyView): string => t('keys:select', { name }),
    allLabel: t('keys:selectAll'),
  }
  // Show checkboxes only if there are several keys. A single key has a button in its row.
  const hasSelection = keys.filter(selection.canSelect).length > 1
  const isKeyLimitReached = keys.length >= plan.maxKeys
  const slots = { used: keys.length, max: plan.maxKeys }
  const isUsable = plan.provisioned && plan.status === 'ACTIVE'
  const planId = planRefText({ connectionId, planId: plan.planId })
  const handOut =
    isUsable && ({ label: t('keys:handOut'), icon: Send, size: 'md', to: handoutPath({ planId }) } as const)
  const canAddKey = isUsable && !isKeyLimitReached
  const add: Action | false = canAddKey && {
    label: t('keys:add'),
    variant: keys.length === 0 ? 'primary' : 'secondary',
    icon: Plus,
    size: 'md',
    onClick: () => setIsAdding(true),
  }
  return (
    <Section
      title={t(plan.provisioned ? (isKeyLimitReached ? 'keys:full' : 'keys:count') : 'keys:masked', slots)}
      description={t('keys:hint')}
      actions={keys.length > 0 && [handOut, add]}
    >
      {count > 0 ? (
        <SelectionBar label={t('keys:selected', { count })} count={t('keys:selected', { count })}>
          <Button size="sm" variant="ghost" onClick={() => setTicked(new Set())}>
            {t('keys:clearSelection')}
          </Button>
          <ButtonLink size="sm" variant="primary" icon={RotateCw} to={rotateManyPath(chosen)}>
            {t('rotation:rotateCount', { count })}
          </ButtonLink>
        </SelectionBar>
      ) : null}
      {keys.length === 0 ? (
        <EmptyState icon={KeyRound} title={t('keys:empty')} actions={[add]}>
          {t('keys:emptyText')}
        </EmptyState>
      ) : (
        <KeysTable
          keys={keys}
          actions={actions}
          isMasked={!plan.provisioned}
          selection={hasSelection ? selection : undefined}
        />
      )}
      {pending ? (
        <pending.Dialog {...{ connectionId, plan, keys }} of={pending.of} onClose={() => setPending(undefined)} />
      ) : null}
      {isAdding ? <NameDialog {...{ connectionId, plan, keys }} onClose={() => setIsAdding(false)} /> : null}
    </Section>
  )
}

export function KeysTab({ connectionId, plan }: KeysProps) {
  const query = useCall('account.keys', { connectionId, planId: plan.planId })
  return (
    <Loaded query={query} rows={3}>
      {(keys) => <KeyList connectionId={connectionId} plan={plan} keys={keys} />}
    </Loaded>
  )
}

/** Renames a key, or adds one without `of`. Ignores further clicks. */
function NameDialog(props: Omit<KeyDialogProps, 'of'> & { readonly of?: SubscriptionKeyView }) {
  const { connectionId, plan, of, keys, onClose } = props
  const { t } = useTranslation('keys')
  const [text, setText] = useState(of?.name ?? '')
  const isLockedRef = useRef(false)
  const onError = (): void => {
    isLockedRef.current = false
  }
  const addKey = useAction('account.addKey', {
    invalidates: ['account', 'plans'],
    onSuccess: (_, { name }) => {
      onClose()
      void toast(t('adding.added', { name }), { description: t('adding.addedHint') })
    },
    onError,
  })
  const renameKey = useAction('account.renameKey', { invalidates: ['account', 'plans'], onSuccess: onClose, onError })
  const { isPending, error } = of ? renameKey : addKey
  const count = text.trim().length
  const name = readKeyName(text)
  const newName = name === of?.name ? undefined : name
  const isTaken = keys.some((key) => key.keyId !== of?.keyId && key.name === text.trim())
  const submit = (): void => {
    if (newName === undefined || isLockedRef.current) return
    isLockedRef.current = true
    const change = { connectionId, planId: plan.planId, name: newName }
    if (of) renameKey.mutate({ ...change, keyId: of.keyId })
    else addKey.mutate(change)
  }
  return (
    <Dialog
      size="sm"
      busy={isPending}
      onClose={onClose}
      title={of ? t('renaming.title', { name: of.name }) : t('adding.title', { plan: plan.name })}
      action={{
        label: t(of ? 'renaming.confirm' : 'adding.confirm'),
        onSubmit: submit,
        busy: isPending,
        disabled: newName === undefined,
      }}
    >
      <TextField
        label={t('adding.name')}
        required
        hint={t(isTaken ? 'adding.taken' : 'adding.hint')}
        error={count > maxKeyNameLength ? t('adding.tooLong', { count }) : undefined}
        autoFocus
        value={text}
        onChange={setText}
      />
      {of ? null : (
        <Hint>
          {t('adding.cap', { next: keys.length + 1, max: plan.maxKeys })} {t('adding.where')}
        </Hint>
      )}
      <ExplainedFailure failure={error?.failure} />
    </Dialog>
  )
}

function AffectedTools({ of, text }: { readonly of: SubscriptionKeyView; readonly text: string }) {
  const { t } = useTranslation('keys')
  const names = useToolNames(of.usedBy)
  return (
    <div className="flex flex-col gap-2">
      <p>{text}</p>
      <p>{t(names.length === 0 ? 'breaksUnknown' : 'breaks')}</p>
      {names.length === 0 ? null : <NameList names={names} />}
    </div>
  )
}

function DisableKeyQuestion({ connectionId, plan: { planId }, of, onClose }: KeyDialogProps) {
  const { t } = useTranslation('keys')
  const { name, keyId } = of
  const setting = useAction('account.setKeyStatus', { invalidates: ['account'] })
  const address = { connectionId, planId, keyId }
  const enableKey = (): void => setting.mutate({ ...address, status: 'ACTIVE' })
  const onSuccess = (): void => {
    onClose()
    void toast(t('disabling.done', { name }), { action: { label: t('disabling.undo'), onClick: enableKey } })
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('disabling.title', { name })}
      description={<AffectedTools of={of} text={t('disabling.text')} />}
      confirmLabel={t('disabling.confirm')}
      busy={setting.isPending}
      onConfirm={() => setting.mutate({ ...address, status: 'DISABLED' }, { onSuccess })}
    >
      <ExplainedFailure failure={setting.error?.failure} />
    </ConfirmDialog>
  )
}

function DeleteKeyQuestion({ connectionId, plan: { planId }, of, onClose }: KeyDialogProps) {
  const { t } = useTranslation('keys')
  const { name, keyId } = of
  const deleteKeyAction = useAction('account.deleteKey', {
    invalidates: ['account', 'plans', 'tools'],
    onSuccess: () => closeWithToast(onClose, t('deleting.done', { name })),
  })
  return (
    <ConfirmDialog
      danger
      onClose={onClose}
      title={t('deleting.title', { name })}
      description={<AffectedTools of={of} text={t('deleting.text')} />}
      confirmLabel={t('deleting.confirm')}
      typeToConfirm={name}
      busy={deleteKeyAction.isPending}
      onConfirm={() => deleteKeyAction.mutate({ connectionId, planId, keyId })}
    >
      <ExplainedFailure failure={deleteKeyAction.error?.failure} />
    </ConfirmDialog>
  )
}
