import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import type { TFunction } from 'i18next'
import {
  Ban,
  CircleCheck,
  Copy,
  Ellipsis,
  HardDriveDownload,
  Pencil,
  RotateCw,
  Send,
  Trash2,
  Wrench,
} from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { type Formats, useFormats } from '../../format'
import { useFailureToast } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { handoutPath, type LocalKeyRef, rotateKeyPath } from '../../paths'
import { useServerNow } from '../../relative-time'
import { useSession } from '../../session'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button, RowButton } from '../../ui/button'
import { type MenuItem, useSharedMenu } from '../../ui/menu'
import { Stack } from '../../ui/rows'
import { toast } from '../../ui/toast'
import type { Selection, VirtualColumn } from '../../ui/virtual-table'
import { VirtualTable } from '../../ui/virtual-table'
import { findLocalKeyRef, KeyStatus, useReplacements, useToolName } from '../connections/account'

type Key = SubscriptionKeyView

interface TableContext {
  readonly t: TFunction<'keys'>
  readonly tRotation: TFunction<'rotation'>
  readonly formats: Formats
  readonly currentTime: Date
  readonly nameOfTool: (id: string) => string
  readonly actions: KeyActions
  /** Whether the action buttons are hidden, because no action is possible yet. */
  readonly isMasked: boolean
  readonly onMenu: (button: HTMLElement, key: Key) => void
}

interface CellProps {
  readonly of: Key
  readonly context: TableContext
}

const storageTones: Record<NonNullable<Key['kept']>, Tone> = {
  keychain: 'success',
  session: 'warning',
  missing: 'danger',
}

function StorageCell({ of, context, tabIndex }: CellProps & { readonly tabIndex: number }) {
  const { t, actions, isMasked } = context
  if (isMasked) return <span className="text-faint">{t('kept.none')}</span>
  const state = of.kept ? <StatusDot tone={storageTones[of.kept]} label={t(`kept.${of.kept}`)} /> : null
  if (of.kept === 'keychain' || of.kept === 'session') return state
  return (
    <span className="inline-flex items-center gap-2">
      {state}
      <Button
        size="sm"
        tabIndex={tabIndex}
        busy={actions.keeping === of.keyId}
        title={t('keptHint')}
        onClick={() => actions.keep(of)}
      >
        {t('keepShort')}
        <span className="sr-only"> {of.name}</span>
      </Button>
    </span>
  )
}

function UsedByCell({ of, context: { t, nameOfTool } }: CellProps) {
  const names = of.usedBy.map(nameOfTool).join(', ')
  return names === '' ? <span className="text-faint">{t('unused')}</span> : <span title={names}>{names}</span>
}

function CreatedCell({ of: { createdAt }, context: { formats, currentTime } }: CellProps) {
  const { short, exact } = formats.relative(createdAt, currentTime)
  return (
    <time dateTime={createdAt} title={exact}>
      {short}
    </time>
  )
}

function ActionsCell({ of, context, tabIndex }: CellProps & { readonly tabIndex: number }) {
  const { t, tRotation, actions, isMasked, onMenu } = context
  if (isMasked) return null
  const localKey = actions.findLocalKey(of)
  return (
    <>
      {localKey && !actions.findReplacement(of) ? (
        <RowButton
          icon={RotateCw}
          tabIndex={tabIndex}
          label={tRotation('rotateNamed', { key: of.name })}
          onPress={() => actions.rotate(localKey)}
        />
      ) : null}
      <RowButton
        icon={Copy}
        tabIndex={tabIndex}
        label={t('copy', { name: of.name })}
        onPress={() => actions.copy(of)}
      />
      <RowButton
        icon={Ellipsis}
        hasMenu
        tabIndex={tabIndex}
        label={t('menu', { name: of.name })}
        onPress={(button) => onMenu(button, of)}
      />
    </>
  )
}

const widths = {
  name: 'minmax(150px, 1fr)',
  status: 'minmax(106px, 0.6fr)',
  created: '124px',
  kept: 'minmax(170px, 190px)',
  usedBy: 'minmax(100px, 0.6fr)',
  actions: '112px',
} as const

function buildColumns(context: TableContext): readonly VirtualColumn<Key>[] {
  const { t } = context
  const column = (id: keyof typeof widths) => ({ id, header: t(`columns.${id}`), width: widths[id] })
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
          label={t(`statuses.${key.status}`)}
          isDisabled={key.status === 'DISABLED'}
          replacement={context.actions.findReplacement(key)}
        />
      ),
    },
    { ...column('created'), from: 780, cell: (key) => <CreatedCell of={key} context={context} /> },
    { ...column('kept'), cell: (key, tabIndex) => <StorageCell of={key} context={context} tabIndex={tabIndex} /> },
    { ...column('usedBy'), cell: (key) => <UsedByCell of={key} context={context} /> },
    {
      ...column('actions'),
      headerHidden: true,
      align: 'right',
      cell: (key, tabIndex) => <ActionsCell of={key} context={context} tabIndex={tabIndex} />,
    },
  ]
}

const toKey = ({ keyId }: Key): string => keyId

/** Table of a plan's keys. `isMasked`: hides the action buttons, because no action is possible yet. */
export function KeysTable({
  keys,
  actions,
  isMasked,
  selection,
}: {
  readonly keys: readonly Key[]
  readonly actions: KeyActions
  readonly isMasked: boolean
  readonly selection: Selection<Key> | undefined
}) {
  const { t } = useTranslation('keys')
  const { t: tRotation } = useTranslation('rotation')
  const formats = useFormats()
  const getServerNow = useServerNow()
  const getToolName = useToolName()
  const { open, menu } = useSharedMenu()
  const columns = useMemo(() => {
    const onMenu = (button: HTMLElement, key: Key): void => open(button, actions.getMenu(key))
    return buildColumns({
      t,
      tRotation,
      formats,
      currentTime: getServerNow(),
      nameOfTool: getToolName,
      actions,
      isMasked,
      onMenu,
    })
  }, [t, tRotation, formats, getServerNow, getToolName, actions, isMasked, open])
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={columns}
        rows={keys}
        rowKey={toKey}
        rowHeight={54}
        selection={selection}
      />
      {menu}
    </>
  )
}

/** Actions that need a confirmation. */
export type KeyDialogKind = 'rename' | 'disable' | 'delete'

interface KeyLocation {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly onAsk: (question: KeyDialogKind, key: SubscriptionKeyView) => void
}

/** Returns a function that opens the tools page with this local plan selected. Undefined without a local plan. */
function useSetUpTool(localPlanId: string | undefined): (() => void) | undefined {
  const navigate = useNavigate()
  const choosePlan = useSession((session) => session.choosePlan)
  if (localPlanId === undefined) return undefined
  return () => {
    choosePlan(localPlanId)
    void navigate('/tools')
  }
}

/** Actions of a key. Copying, saving and enabling a key run immediately. Other actions must be confirmed. */
export function useKeyActions({ connectionId, plan, onAsk }: KeyLocation) {
  const { t } = useTranslation('keys')
  const keySuccession = useKeyReplacement(plan)
  const { duration } = useFormats()
  const onError = useFailureToast()()
  const setUpTool = useSetUpTool(plan.localPlanId)
  const copyKeyAction = useAction('account.copyKey')
  const saveKey = useAction('account.keepKey', { invalidates: ['account', 'plans'] })
  const setting = useAction('account.setKeyStatus', { invalidates: ['account'] })
  const toAddress = ({ keyId }: SubscriptionKeyView) => ({ connectionId, planId: plan.planId, keyId })
  const copy = (key: SubscriptionKeyView): void =>
    copyKeyAction.mutate(toAddress(key), {
      onError,
      onSuccess: ({ clearsAfterMs }) =>
        void toast(t('copied'), { description: t('copiedHint', { time: duration(clearsAfterMs) }) }),
    })
  const saveKeyHere = (key: SubscriptionKeyView): void =>
    saveKey.mutate(toAddress(key), { onError, onSuccess: () => void toast(t('keptNow', { name: key.name })) })
  const enableKey = (key: SubscriptionKeyView): void =>
    setting.mutate(
      { ...toAddress(key), status: 'ACTIVE' },
      { onError, onSuccess: () => void toast(t('enabled', { name: key.name })) },
    )
  const isStoredLocally = ({ kept }: SubscriptionKeyView): boolean => kept === 'keychain' || kept === 'session'
  const getMenu = (key: SubscriptionKeyView): readonly MenuItem[] => [
    ...keySuccession.getMenuItems(key),
    isStoredLocally(key)
      ? { label: t('configure'), icon: Wrench, disabled: !setUpTool, onSelect: () => setUpTool?.() }
      : { label: t('keep'), icon: HardDriveDownload, onSelect: () => saveKeyHere(key) },
    { label: t('rename'), icon: Pencil, onSelect: () => onAsk('rename', key) },
    key.status === 'ACTIVE'
      ? { label: t('disable'), icon: Ban, onSelect: () => onAsk('disable', key) }
      : { label: t('enable'), icon: CircleCheck, onSelect: () => enableKey(key) },
    'separator',
    { label: t('delete'), icon: Trash2, danger: true, onSelect: () => onAsk('delete', key) },
  ]
  const { findLocalKey, findReplacement, rotate } = keySuccession
  return {
    copy,
    keep: saveKeyHere,
    getMenu,
    findLocalKey,
    findReplacement,
    rotate,
    keeping: saveKey.isPending ? saveKey.variables.keyId : undefined,
  }
}

type KeyActions = ReturnType<typeof useKeyActions>

/** Rotation and hand-out of a key, which need its local id. Only for keys whose secret is saved on this computer. */
function useKeyReplacement({ localPlanId }: AccountPlanView) {
  const { t } = useTranslation(['keys', 'rotation'])
  const navigate = useNavigate()
  const { data: plans = [] } = useCall('plans.list', {})
  const localPlan = plans.find(({ id }) => id === localPlanId)
  const replacements = useReplacements()
  const findLocalKey = ({ keyId }: SubscriptionKeyView): LocalKeyRef | undefined => findLocalKeyRef(localPlan, keyId)
  const findReplacement = (key: SubscriptionKeyView) => replacements(findLocalKey(key)?.keyId ?? '')
  const rotate = (localKey: LocalKeyRef): void => void navigate(rotateKeyPath(localKey))
  const getMenuItems = (key: SubscriptionKeyView): readonly MenuItem[] => {
    const localKey = findLocalKey(key)
    const replacement = findReplacement(key)
    return [
      {
        label: t('rotation:rotateMenu'),
        icon: RotateCw,
        disabled: !localKey || replacement !== undefined,
        hint: localKey ? replacement?.short : t('rotation:keepFirst'),
        onSelect: () => localKey && rotate(localKey),
      },
      {
        label: t('keys:handOutThis'),
        icon: Send,
        disabled: !localKey || replacement !== undefined,
        hint: replacement?.short,
        onSelect: () => localKey && void navigate(handoutPath(localKey)),
      },
    ]
  }
  return { findLocalKey, findReplacement, rotate, getMenuItems }
}
