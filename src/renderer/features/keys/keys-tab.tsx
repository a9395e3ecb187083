import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { planRefText } from '@shared/key-ids'
import { KeyRound, Plus, RotateCw, Send } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
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
import { toast } from '../../ui/toast'
import { maxKeyNameLength, readKeyName, useToolNames } from '../connections/account'
import { type KeyDialogKind, KeysTable, useKeyActions } from './keys-table'

interface KeysProps {
  readonly connectionId: string
  readonly plan: AccountPlanView
}

interface KeyDialogProps {
  readonly address: { readonly connectionId: string; readonly planId: string; readonly keyId: string }
  readonly of: SubscriptionKeyView
  /** All keys of the plan, including `of`. */
  readonly keys: readonly SubscriptionKeyView[]
  readonly onClose: () => void
}

const keyDialogs = { rename: RenameKeyDialog, disable: DisableKeyQuestion, delete: DeleteKeyQuestion }

function KeyList({ connectionId, plan, keys }: KeysProps & { readonly keys: readonly SubscriptionKeyView[] }) {
  const { t } = useTranslation(['keys', 'rotation'])
  const [pending, setPending] = useState<{ Dialog: (typeof keyDialogs)[KeyDialogKind]; of: SubscriptionKeyView }>()
  const [isAdding, setIsAdding] = useState(false)
  const actions = useKeyActions({
    connectionId,
    plan,
    onAsk: (question, key) => setPending({ Dialog: keyDialogs[question], of: key }),
  })
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  /** Ids of the selected keys on this computer. */
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
  const canAddKey = plan.provisioned && plan.status === 'ACTIVE' && !isKeyLimitReached
  const add: Action | false = canAddKey && {
    label: t('keys:add'),
    variant: keys.length === 0 ? 'primary' : 'secondary',
    icon: Plus,
    size: 'md',
    onClick: () => setIsAdding(true),
  }
  return (
    <Section
      title={
        plan.provisioned
          ? t(isKeyLimitReached ? 'keys:full' : 'keys:count', { used: keys.length, max: plan.maxKeys })
          : t('keys:masked')
      }
      description={t('keys:hint')}
      actions={
        keys.length > 0 && [
          plan.provisioned &&
            plan.status === 'ACTIVE' && {
              label: t('keys:handOut'),
              icon: Send,
              size: 'md',
              to: handoutPath({ planId: planRefText({ connectionId, planId: plan.planId }) }),
            },
          add,
        ]
      }
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
        <pending.Dialog
          address={{ connectionId, planId: plan.planId, keyId: pending.of.keyId }}
          of={pending.of}
          keys={keys}
          onClose={() => setPending(undefined)}
        />
      ) : null}
      {isAdding ? (
        <AddKeyDialog connectionId={connectionId} plan={plan} keys={keys} onClose={() => setIsAdding(false)} />
      ) : null}
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

function RenameKeyDialog({ address, of, keys, onClose }: KeyDialogProps) {
  const { t } = useTranslation('keys')
  const renameKey = useAction('account.renameKey', { invalidates: ['account', 'plans'] })
  return (
    <NameDialog
      title={t('renaming.title', { name: of.name })}
      first={of.name}
      taken={keys.flatMap(({ keyId, name }) => (keyId === address.keyId ? [] : [name]))}
      confirm={t('renaming.confirm')}
      busy={renameKey.isPending}
      failure={renameKey.error?.failure}
      onName={(name) => renameKey.mutate({ ...address, name }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

/** Dialog that adds a key. Shows the number of free places and where the key is saved. Ignores further clicks. */
function AddKeyDialog({ connectionId, plan, keys, onClose }: KeysProps & Pick<KeyDialogProps, 'keys' | 'onClose'>) {
  const { t } = useTranslation('keys')
  const isLockedRef = useRef(false)
  const addKeyAction = useAction('account.addKey', {
    invalidates: ['account', 'plans'],
    onSuccess: (_, { name }) => {
      onClose()
      void toast(t('adding.added', { name }), { description: t('adding.addedHint') })
    },
    onError: () => {
      isLockedRef.current = false
    },
  })
  const add = (name: string): void => {
    if (isLockedRef.current) return
    isLockedRef.current = true
    addKeyAction.mutate({ connectionId, planId: plan.planId, name })
  }
  return (
    <NameDialog
      title={t('adding.title', { plan: plan.name })}
      first=""
      taken={keys.map(({ name }) => name)}
      confirm={t('adding.confirm')}
      busy={addKeyAction.isPending}
      failure={addKeyAction.error?.failure}
      onName={add}
      onClose={onClose}
    >
      <Hint>
        {t('adding.cap', { next: keys.length + 1, max: plan.maxKeys })} {t('adding.where')}
      </Hint>
    </NameDialog>
  )
}

function NameDialog(props: {
  readonly title: string
  readonly first: string
  readonly taken: readonly string[]
  readonly confirm: string
  readonly busy: boolean
  readonly failure: Failure | undefined
  readonly onName: (name: string) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  const [text, setText] = useState(props.first)
  const { t } = useTranslation('keys')
  const name = readKeyName(text)
  const submit = (): void => {
    if (name !== undefined && !props.busy) props.onName(name)
  }
  const count = text.trim().length
  return (
    <Dialog
      size="sm"
      busy={props.busy}
      onClose={props.onClose}
      title={props.title}
      action={{
        label: props.confirm,
        onSubmit: submit,
        busy: props.busy,
        disabled: name === undefined || name === props.first,
      }}
    >
      <TextField
        label={t('adding.name')}
        required
        hint={t(props.taken.includes(text.trim()) ? 'adding.taken' : 'adding.hint')}
        error={count > maxKeyNameLength ? t('adding.tooLong', { count }) : undefined}
        autoFocus
        value={text}
        onChange={setText}
      />
      {props.children}
      <ExplainedFailure failure={props.failure} />
    </Dialog>
  )
}

function AffectedTools({ of, text }: { readonly of: SubscriptionKeyView; readonly text: string }) {
  const { t } = useTranslation('keys')
  const names = useToolNames(of.usedBy)
  return (
    <div className="flex flex-col gap-2">
      <p>{text}</p>
      {names.length === 0 ? (
        <p>{t('breaksUnknown')}</p>
      ) : (
        <>
          <p>{t('breaks')}</p>
          <NameList names={names} />
        </>
      )}
    </div>
  )
}

/** Dialog that confirms disabling a key. Disabling can be undone. */
function DisableKeyQuestion({ address, of, onClose }: KeyDialogProps) {
  const { t } = useTranslation('keys')
  const { name } = of
  const setting = useAction('account.setKeyStatus', { invalidates: ['account'] })
  const enableKey = (): void => setting.mutate({ ...address, status: 'ACTIVE' })
  const disableKey = (): void =>
    setting.mutate(
      { ...address, status: 'DISABLED' },
      {
        onSuccess: () => {
          onClose()
          void toast(t('disabling.done', { name }), { action: { label: t('disabling.undo'), onClick: enableKey } })
        },
      },
    )
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('disabling.title', { name })}
      description={<AffectedTools of={of} text={t('disabling.text')} />}
      confirmLabel={t('disabling.confirm')}
      busy={setting.isPending}
      onConfirm={disableKey}
    >
      <ExplainedFailure failure={setting.error?.failure} />
    </ConfirmDialog>
  )
}

/** Dialog that confirms deleting a key, which cannot be undone. The user types the key's name. */
function DeleteKeyQuestion({ address, of, onClose }: KeyDialogProps) {
  const { t } = useTranslation('keys')
  const { name } = of
  const deleteKeyAction = useAction('account.deleteKey', {
    invalidates: ['account', 'plans', 'tools'],
    onSuccess: () => {
      onClose()
      void toast(t('deleting.done', { name }))
    },
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
      onConfirm={() => deleteKeyAction.mutate(address)}
    >
      <ExplainedFailure failure={deleteKeyAction.error?.failure} />
    </ConfirmDialog>
  )
}
