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
import { useCall } from '../../ipc'
import { handoutPath, type LocalKeyRef, rotateKeyPath } from '../../paths'
import { useServerNow } from '../../relative-time'
import { choosePlan } from '../../session'
import { useToastAction } from '../../toast-actions'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button, RowButton } from '../../ui/button'
import { type MenuItem, type SharedMenu, useSharedMenu } from '../../ui/menu'
import { Stack } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { type Selection, type VirtualColumn, VirtualTable } from '../../ui/virtual-table'
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

export type KeyDialogKind = 'rename' | 'disable' | 'delete'

export function useKeyActions(
  connectionId: string,
  { planId, localPlanId }: AccountPlanView,
  onAsk: (question: KeyDialogKind, key: Key) => void,
) {
  const { t } = useTranslation(['keys', 'rotation'])
  const navigate = useNavigate()
  const { duration } = useFormats()
  const { data: plans = [] } = useCall('plans.list', {})
  const localPlan = plans.find(({ id }) => id === localPlanId)
  const findReplacementOfLocalKey = useReplacements()
  const copyKeyAction = useToastAction('account.copyKey', {
    onSuccess: ({ clearsAfterMs }) =>
      void toast(t('keys:copied'), { description: t('keys:copiedHint', { time: duration(clearsAfterMs) }) }),
  })
  const saveKey = useToastAction('account.keepKey', { invalidates: ['account', 'plans'] })
  const setting = useToastAction('account.setKeyStatus', { invalidates: ['account'] })
  const toAddress = ({ keyId }: Key) => ({ connectionId, planId, keyId })
  /** Local id of a key, for rotation and hand-out. Undefined if the key's secret is not saved on this computer. */
  const findLocalKey = ({ keyId }: Key): LocalKeyRef | undefined => findLocalKeyRef(localPlan, keyId)
  const findReplacement = (key: Key) => findReplacementOfLocalKey(findLocalKey(key)?.keyId ?? '')
  const rotate = (localKey: LocalKeyRef): void => void navigate(rotateKeyPath(localKey))
  const saveKeyHere = (key: Key): void =>
    saveKey.mutate(toAddress(key), { onSuccess: () => void toast(t('keys:keptNow', { name: key.name })) })
  const enableKey = (key: Key): void => {
    const onSuccess = (): void => void toast(t('keys:enabled', { name: key.name }))
    setting.mutate({ ...toAddress(key), status: 'ACTIVE' }, { onSuccess })
  }
  const setUpTool = (): void => {
    if (localPlanId !== undefined) choosePlan(localPlanId)
    void navigate('/tools')
  }
  const getMenu = (key: Key): readonly MenuItem[] => {
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
    copy: (key: Key) => copyKeyAction.mutate(toAddress(key)),
    keep: saveKeyHere,
    getMenu,
    keeping: saveKey.isPending ? saveKey.variables.keyId : undefined,
  }
}
