import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { planRefText } from '@shared/key-ids'
import i18next from 'i18next'
import {
  Ban,
  CircleCheck,
  Copy,
  HardDriveDownload,
  KeyRound,
  Pencil,
  Plus,
  RotateCw,
  Send,
  Trash2,
  Wrench,
} from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { formatDuration, formatRelative } from '../../format'
import { useAction, useCall, useSingleAction } from '../../ipc'
import { Loaded } from '../../loaded'
import { handoutPath, type LocalKeyRef, rotateKeyPath, rotateManyPath } from '../../paths'
import { useServerNow } from '../../relative-time'
import { choosePlan } from '../../session'
import { useToastAction } from '../../toast-actions'
import { StatusDot, type Tone } from '../../ui/badge'
import { type Action, Button, RowButton } from '../../ui/button'
import { ConfirmDialog, Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import type { MenuItem } from '../../ui/menu'
import { EmptyState, Section, SelectionBar } from '../../ui/page'
import { Stack } from '../../ui/rows'
import { Hint, NameList } from '../../ui/text'
import { closeWithToast, toast } from '../../ui/toast'
import { type VirtualColumn, VirtualTable } from '../../ui/virtual-table'
import {
  findLocalKeyRef,
  KeyStatus,
  maxKeyNameLength,
  readKeyName,
  useReplacements,
  useToolName,
  useToolNames,
} from '../connections/account'

const t = i18next.getFixedT(null, ['keys', 'rotation'])

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
  const [pending, setPending] = useState<{ Dialog: (typeof keyDialogs)[KeyDialogKind]; of: SubscriptionKeyView }>()
  const [isAdding, setIsAdding] = useState(false)
  const actions = useKeyActions(connectionId, plan, (question, of) => setPending({ Dialog: keyDialogs[question], of }))
  const columns = useColumns(actions, !plan.provisioned)
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
        <SelectionBar
          text={t('keys:selected', { count })}
          actions={[
            { label: t('keys:clearSelection'), variant: 'ghost', onClick: () => setTicked(new Set()) },
            {
              label: t('rotation:rotateCount', { count }),
              variant: 'primary',
              icon: RotateCw,
              to: rotateManyPath(chosen),
            },
          ]}
        />
      ) : null}
      {keys.length === 0 ? (
        <EmptyState icon={KeyRound} title={t('keys:empty')} actions={[add]}>
          {t('keys:emptyText')}
        </EmptyState>
      ) : (
        <VirtualTable
          label={t('keys:list')}
          columns={columns}
          rows={keys}
          rowKey={({ keyId }) => keyId}
          rowHeight={54}
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

/** Renames a key, or adds one without `of`. */
function NameDialog(props: Omit<KeyDialogProps, 'of'> & { readonly of?: SubscriptionKeyView }) {
  const { connectionId, plan, of, keys, onClose } = props
  const [text, setText] = useState(of?.name ?? '')
  const addKey = useSingleAction('account.addKey', {
    invalidates: ['account', 'plans'],
    onSuccess: (_, { name }) => {
      onClose()
      void toast(t('adding.added', { name }), { description: t('adding.addedHint') })
    },
  })
  const renameKey = useSingleAction('account.renameKey', { invalidates: ['account', 'plans'], onSuccess: onClose })
  const count = text.trim().length
  const name = readKeyName(text)
  const newName = name === of?.name ? undefined : name
  const isTaken = keys.some((key) => key.keyId !== of?.keyId && key.name === text.trim())
  const submit = (): void => {
    if (newName === undefined) return
    const change = { connectionId, planId: plan.planId, name: newName }
    if (of) renameKey.mutate({ ...change, keyId: of.keyId })
    else addKey.mutate(change)
  }
  return (
    <Dialog
      size="sm"
      mutation={of ? renameKey : addKey}
      onClose={onClose}
      title={of ? t('renaming.title', { name: of.name }) : t('adding.title', { plan: plan.name })}
      action={{
        label: t(of ? 'renaming.confirm' : 'adding.confirm'),
        onSubmit: submit,
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
    </Dialog>
  )
}

function AffectedTools({ of, text }: { readonly of: SubscriptionKeyView; readonly text: string }) {
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
      mutation={setting}
      onConfirm={() => setting.mutate({ ...address, status: 'DISABLED' }, { onSuccess })}
    />
  )
}

function DeleteKeyQuestion({ connectionId, plan: { planId }, of, onClose }: KeyDialogProps) {
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
      mutation={deleteKeyAction}
      onConfirm={() => deleteKeyAction.mutate({ connectionId, planId, keyId })}
    />
  )
}

const storageTones: Record<NonNullable<SubscriptionKeyView['kept']>, Tone> = {
  keychain: 'success',
  session: 'warning',
  missing: 'danger',
}

const widths = {
  name: 'minmax(150px, 1fr)',
  status: 'minmax(106px, 0.6fr)',
  created: '124px',
  kept: 'minmax(170px, 190px)',
  usedBy: 'minmax(100px, 0.6fr)',
  actions: '112px',
} as const

/** Columns of the table. Cells share the hooks, because hooks per cell slow down scrolling. */
function useColumns(
  actions: ReturnType<typeof useKeyActions>,
  isMasked: boolean,
): readonly VirtualColumn<SubscriptionKeyView>[] {
  const getServerNow = useServerNow()
  const getToolName = useToolName()
  const column = (id: keyof typeof widths) => ({ id, header: t(`keys:columns.${id}`), width: widths[id] })
  return [
    {
      ...column('name'),
      cell: ({ name, masked }) => (
        <Stack>
          <span className="font-strong" title={name}>
            {name}
          </span>
          <code className="text-muted text-sm">{masked}</code>
        </Stack>
      ),
    },
    {
      ...column('status'),
      cell: (key) => (
        <KeyStatus
          tone={key.status === 'ACTIVE' ? 'success' : 'neutral'}
          label={t(`keys:statuses.${key.status}`)}
          isDisabled={key.status === 'DISABLED'}
          replacement={actions.findReplacement(key)}
        />
      ),
    },
    {
      ...column('created'),
      from: 780,
      cell: ({ createdAt }) => {
        const { short, exact } = formatRelative(createdAt, getServerNow())
        return (
          <time dateTime={createdAt} title={exact}>
            {short}
          </time>
        )
      },
    },
    {
      ...column('kept'),
      cell: (key, tabIndex) => {
        if (isMasked) return <span className="text-faint">{t('keys:kept.none')}</span>
        const state = key.kept ? <StatusDot tone={storageTones[key.kept]} label={t(`keys:kept.${key.kept}`)} /> : null
        if (key.kept === 'keychain' || key.kept === 'session') return state
        return (
          <span className="inline-flex items-center gap-2">
            {state}
            <Button
              size="sm"
              tabIndex={tabIndex}
              busy={actions.keeping === key.keyId}
              title={t('keys:keptHint')}
              onClick={() => actions.keep(key)}
            >
              {t('keys:keepShort')}
              <span className="sr-only"> {key.name}</span>
            </Button>
          </span>
        )
      },
    },
    {
      ...column('usedBy'),
      cell: ({ usedBy }) => {
        const names = usedBy.map(getToolName).join(', ')
        if (names === '') return <span className="text-faint">{t('keys:unused')}</span>
        return <span title={names}>{names}</span>
      },
    },
    {
      ...column('actions'),
      headerHidden: true,
      align: 'right',
      cell: (key, tabIndex, openMenu) => {
        if (isMasked) return null
        const { name } = key
        const localKey = actions.findLocalKey(key)
        return (
          <>
            {localKey && !actions.findReplacement(key) ? (
              <RowButton
                icon={RotateCw}
                tabIndex={tabIndex}
                label={t('rotation:rotateNamed', { key: name })}
                onPress={() => actions.rotate(localKey)}
              />
            ) : null}
            <RowButton
              icon={Copy}
              tabIndex={tabIndex}
              label={t('keys:copy', { name })}
              onPress={() => actions.copy(key)}
            />
            <RowButton
              hasMenu
              tabIndex={tabIndex}
              label={t('keys:menu', { name })}
              onPress={(button) => openMenu(button, actions.getMenu(key))}
            />
          </>
        )
      },
    },
  ]
}

type KeyDialogKind = 'rename' | 'disable' | 'delete'

function useKeyActions(
  connectionId: string,
  { planId, localPlanId }: AccountPlanView,
  onAsk: (question: KeyDialogKind, key: SubscriptionKeyView) => void,
) {
  const navigate = useNavigate()
  const { data: plans = [] } = useCall('plans.list', {})
  const localPlan = plans.find(({ id }) => id === localPlanId)
  const findReplacementOfLocalKey = useReplacements()
  const copyKeyAction = useToastAction('account.copyKey', {
    onSuccess: ({ clearsAfterMs }) =>
      void toast(t('keys:copied'), { description: t('keys:copiedHint', { time: formatDuration(clearsAfterMs) }) }),
  })
  const saveKey = useToastAction('account.keepKey', { invalidates: ['account', 'plans'] })
  const setting = useToastAction('account.setKeyStatus', { invalidates: ['account'] })
  const toAddress = ({ keyId }: SubscriptionKeyView) => ({ connectionId, planId, keyId })
  /** Local id of a key, for rotation and hand-out. Undefined if the key's secret is not saved on this computer. */
  const findLocalKey = ({ keyId }: SubscriptionKeyView): LocalKeyRef | undefined => findLocalKeyRef(localPlan, keyId)
  const findReplacement = (key: SubscriptionKeyView) => findReplacementOfLocalKey(findLocalKey(key)?.keyId ?? '')
  const rotate = (localKey: LocalKeyRef): void => void navigate(rotateKeyPath(localKey))
  const saveKeyHere = (key: SubscriptionKeyView): void =>
    saveKey.mutate(toAddress(key), { onSuccess: () => void toast(t('keys:keptNow', { name: key.name })) })
  const enableKey = (key: SubscriptionKeyView): void => {
    const onSuccess = (): void => void toast(t('keys:enabled', { name: key.name }))
    setting.mutate({ ...toAddress(key), status: 'ACTIVE' }, { onSuccess })
  }
  const setUpTool = (): void => {
    if (localPlanId !== undefined) choosePlan(localPlanId)
    void navigate('/tools')
  }
  const getMenu = (key: SubscriptionKeyView): readonly MenuItem[] => {
    const localKey = findLocalKey(key)
    const replacement = findReplacement(key)
    const disabled = !localKey || replacement !== undefined
    return [
      {
        label: t('rotation:rotateMenu'),
        icon: RotateCw,
        disabled,
        hint: localKey ? replacement?.short : t('rotation:keepFirst'),
        onSelect: () => localKey && rotate(localKey),
      },
      {
        label: t('keys:handOutThis'),
        icon: Send,
        disabled,
        hint: replacement?.short,
        onSelect: () => localKey && void navigate(handoutPath(localKey)),
      },
      key.kept === 'keychain' || key.kept === 'session'
        ? { label: t('keys:configure'), icon: Wrench, disabled: localPlanId === undefined, onSelect: setUpTool }
        : { label: t('keys:keep'), icon: HardDriveDownload, onSelect: () => saveKeyHere(key) },
      { label: t('keys:rename'), icon: Pencil, onSelect: () => onAsk('rename', key) },
      key.status === 'ACTIVE'
        ? { label: t('keys:disable'), icon: Ban, onSelect: () => onAsk('disable', key) }
        : { label: t('keys:enable'), icon: CircleCheck, onSelect: () => enableKey(key) },
      'separator',
      { label: t('keys:delete'), icon: Trash2, danger: true, onSelect: () => onAsk('delete', key) },
    ]
  }
  return {
    findLocalKey,
    findReplacement,
    rotate,
    copy: (key: SubscriptionKeyView) => copyKeyAction.mutate(toAddress(key)),
    keep: saveKeyHere,
    getMenu,
    keeping: saveKey.isPending ? saveKey.variables.keyId : undefined,
  }
}
