import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
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
import { useFormats } from '../../format'
import { useFailureToast } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { handoutPath, type LocalKeyRef, rotateKeyPath } from '../../paths'
import { useServerNow } from '../../relative-time'
import { choosePlan } from '../../session'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button, RowButton } from '../../ui/button'
import { type MenuItem, type SharedMenu, useSharedMenu } from '../../ui/menu'
import { Stack } from '../../ui/rows'
import { toast } from '../../ui/toast'
import type { Selection, VirtualColumn } from '../../ui/virtual-table'
import { VirtualTable } from '../../ui/virtual-table'
import { findLocalKeyRef, KeyStatus, useReplacements, useToolName } from '../connections/account'

type Key = SubscriptionKeyView

const storageTones: Record<NonNullable<Key['kept']>, Tone> = {
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

interface KeysTableProps {
  readonly keys: readonly Key[]
  readonly actions: ReturnType<typeof useKeyActions>
  /** Whether the action buttons are hidden, because no action is possible yet. */
  readonly isMasked: boolean
  readonly selection: Selection<Key> | undefined
}

/** Columns of the table. Cells share the hooks, because hooks per cell slow down scrolling. */
function useColumns({ actions, isMasked }: KeysTableProps, open: SharedMenu['open']) {
  const { t } = useTranslation(['keys', 'rotation'])
  const { relative } = useFormats()
  const getServerNow = useServerNow()
  const getToolName = useToolName()
  return useMemo((): readonly VirtualColumn<Key>[] => {
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
          const { short, exact } = relative(createdAt, getServerNow())
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
        cell: (key, tabIndex) => {
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
                icon={Ellipsis}
                hasMenu
                tabIndex={tabIndex}
                label={t('keys:menu', { name })}
                onPress={(button) => open(button, actions.getMenu(key))}
              />
            </>
          )
        },
      },
    ]
  }, [t, relative, getServerNow, getToolName, actions, isMasked, open])
}

/** Table of a plan's keys. */
export function KeysTable(props: KeysTableProps) {
  const { t } = useTranslation('keys')
  const { open, menu } = useSharedMenu()
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={useColumns(props, open)}
        rows={props.keys}
        rowKey={({ keyId }) => keyId}
        rowHeight={54}
        selection={props.selection}
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
