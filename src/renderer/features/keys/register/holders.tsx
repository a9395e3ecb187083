import type { Holder, RegisterEntry } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { holderId } from '@shared/key-ids'
import i18next from 'i18next'
import { Ban, CircleCheck, KeyRound, Pencil, Search, Send, Undo2, UserRound, UserX } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { formatCount, formatDate, formatList, formatRelative, toSearchText } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { handoutPath, holderPath, holdersPath, registerPath } from '../../../paths'
import { useNow } from '../../../relative-time'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Dialog } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { useSharedMenu } from '../../../ui/menu'
import { EmptyState, Page, PageHeader, Section, Toolbar } from '../../../ui/page'
import { InlineDetails, Row, RowIcon, Rows } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { SkeletonRows } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { VirtualRows } from '../../../ui/virtual-table'
import { entryKey, holderIcon, needsHandout, useReplacements } from '../../connections/account'
import {
  EntryStatus,
  isRevocable,
  isUnacknowledged,
  type KeysOfHolder,
  listHolderNames,
  listHolders,
  listKeysToDelete,
  useRegister,
} from './entries'
import { RevokeDialog, type RevokedKeys, useEnableKeys } from './revoke-dialog'

const t = i18next.getFixedT(null, ['register', 'common'])

const toHolderName = ({ holder }: KeysOfHolder): string => holder.name
/** Row height in px, one line per key. */
const getHeight = ({ entries }: KeysOfHolder): number => 38 + 20 * Math.max(1, entries.length)

function Holders({ all: allHolders }: { readonly all: readonly KeysOfHolder[] }) {
  const { isAsking } = useRegister()
  const [text, setText] = useState('')
  const [leaving, setLeaving] = useState<KeysOfHolder>()
  const searchText = toSearchText(text.trim())
  const matchingHolders = allHolders.filter(({ holder }) => toSearchText(holder.name).includes(searchText))
  return (
    <div className="flex flex-col gap-3">
      <Toolbar>
        <SearchField
          label={t('holders.search')}
          value={text}
          onChange={setText}
          found={{ shown: matchingHolders.length, count: allHolders.length }}
          hasFindKey
        />
      </Toolbar>
      {matchingHolders.length === 0 ? (
        <EmptyState icon={Search} title={t('holders.noMatch', { text })} />
      ) : (
        <VirtualRows label={t('tabs.holders')} items={matchingHolders} toKey={toHolderName} getHeight={getHeight}>
          {(holderEntry, place) => {
            const { holder, entries } = holderEntry
            return (
              <Row
                key={holder.name}
                place={place}
                to={holderPath(holderId(holder))}
                leading={<RowIcon icon={holderIcon(holder)} />}
                title={holder.name}
                description={
                  <ul className="flex flex-col gap-0.5" aria-label={t('holders.keysOf', { holder: holder.name })}>
                    {entries.map((entry) => {
                      const { keyName: key, planName, planLabel: plan = planName, tools } = entry
                      const otherHolders = listHolderNames(entry).filter((name) => name !== holder.name)
                      return (
                        <li key={entryKey(entry)} className="min-w-0">
                          <InlineDetails
                            items={[
                              t('keyOfPlan', { key, plan }),
                              <EntryStatus key="status" entry={entry} />,
                              needsHandout(entry) && t('toHandOut'),
                              otherHolders.length > 0 && t('alsoServes', { names: formatList(otherHolders) }),
                              tools.length > 0 && formatList(tools),
                            ]}
                          />
                        </li>
                      )
                    })}
                  </ul>
                }
                trailing={[
                  {
                    label: t('holders.leave'),
                    icon: UserX,
                    disabled: isAsking || listKeysToDelete(holderEntry).length === 0,
                    'aria-label': t('holders.leaveOf', { holder: holder.name }),
                    onClick: () => setLeaving(holderEntry),
                  },
                ]}
              />
            )
          }}
        </VirtualRows>
      )}
      {leaving ? (
        <RevokeDialog
          entries={listKeysToDelete(leaving)}
          holder={leaving.holder.name}
          isLeaving
          onClose={() => setLeaving(undefined)}
        />
      ) : null}
    </div>
  )
}

export function HolderList() {
  const query = useRegister()
  return (
    <Loaded query={query} rows={6}>
      {(entries) => {
        const allHolders = listHolders(entries.filter(({ status }) => status !== 'gone'))
        if (allHolders.length > 0) return <Holders all={allHolders} />
        return query.isAsking ? (
          <SkeletonRows rows={6} />
        ) : (
          <EmptyState
            icon={UserRound}
            title={t('holders.none')}
            actions={[{ label: t('holders.toKeys'), to: registerPath }]}
          >
            {t('holders.noneText')}
          </EmptyState>
        )
      }}
    </Loaded>
  )
}

const usageDays = 30

function KeyUsage({ entry: { origin } }: { readonly entry: RegisterEntry }) {
  // Round to whole days, so that the query key stays the same.
  const endMs = Math.ceil(useNow().getTime() / dayMs) * dayMs
  const toIso = (timeMs: number): string => new Date(timeMs).toISOString()
  const filter = { scope: 'console', from: toIso(endMs - usageDays * dayMs), to: toIso(endMs), ...origin } as const
  const { data } = useCall('usage.series', origin && { filter, step: 'day', compare: false })
  if (!data) return null
  const { inputTokens, outputTokens, cacheTokens } = data.totals
  const tokens = formatCount(inputTokens + outputTokens + cacheTokens)
  return <span title={tokens.exact}>{t('holder.usage', { tokens: tokens.short, days: usageDays })}</span>
}

function Confirmation({ entry }: { readonly entry: RegisterEntry }) {
  const currentTime = useNow()
  const { handedOutAt, acknowledgedAt } = entry
  if (needsHandout(entry)) return <span className="text-warning">{t('toHandOut')}</span>
  if (handedOutAt === undefined) return <span>{t('notHandedOut')}</span>
  return (
    <span className={isUnacknowledged(entry) ? 'text-warning' : undefined}>
      {t('holder.issued', { when: formatRelative(handedOutAt, currentTime).short })},{' '}
      {acknowledgedAt === undefined
        ? t('unacknowledged')
        : t('acknowledged', { when: formatRelative(acknowledgedAt, currentTime).short })}
    </span>
  )
}

function KeyRow(props: { readonly entry: RegisterEntry; readonly holder: Holder; readonly onRevoke: () => void }) {
  const { entry, holder, onRevoke } = props
  const enableKey = useEnableKeys()
  const { open, menu } = useSharedMenu()
  const replacement = useReplacements()(entry.keyId)
  const { planId, keyId, keyName: key, planName, planLabel: plan = planName, status, origin, isKeptHere } = entry
  const otherHolders = listHolderNames(entry).filter((name) => name !== holder.name)
  const holderParam = holderId(holder)
  const name = t('keyOfPlan', { key, plan })
  const issuePlanId = isKeptHere || !origin ? planId : `${origin.connectionId}/${origin.planId}`
  const issueMenuItems = [
    {
      label: t('holder.sameKey'),
      icon: KeyRound,
      disabled: !isKeptHere || status === 'DISABLED' || replacement !== undefined,
      hint: isKeptHere ? replacement?.short : t('notHere'),
      to: handoutPath({ planId, keyId, to: holderParam }),
    },
    {
      label: t('holder.newKey'),
      icon: Send,
      disabled: origin === undefined,
      to: handoutPath({ planId: issuePlanId, to: holderParam }),
    },
  ]
  return (
    <Row
      leading={<RowIcon icon={KeyRound} />}
      title={name}
      badge={<EntryStatus entry={entry} />}
      description={[
        <Confirmation key="issued" entry={entry} />,
        origin && <KeyUsage key="usage" entry={entry} />,
        entry.purpose,
        entry.machine,
        otherHolders.length > 0 && t('alsoServes', { names: formatList(otherHolders) }),
        entry.tools.length > 0 && formatList(entry.tools),
      ]}
      trailing={
        <>
          <Button size="sm" aria-haspopup="menu" onClick={({ currentTarget }) => open(currentTarget, issueMenuItems)}>
            {t('holder.again')}
          </Button>
          {status === 'DISABLED' ? (
            <IconButton
              icon={CircleCheck}
              size="sm"
              label={t('holder.enable', { key: name })}
              onClick={() => void enableKey([entry])}
            />
          ) : isRevocable(entry) ? (
            <IconButton icon={Ban} size="sm" label={t('holder.disable', { key: name })} onClick={onRevoke} />
          ) : null}
          {menu}
        </>
      }
    />
  )
}

const maxName = 100

function RenameDialog({ holder, onClose }: { readonly holder: Holder; readonly onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState(holder.name)
  const renameHolder = useAction('register.renameHolder', {
    invalidates: ['register', 'rotation', 'budgets', 'audit'],
    onSuccess: (renamed) => {
      onClose()
      void navigate(holderPath(holderId(renamed)), { replace: true })
      void toast(t('register:holder.renamed', { name: renamed.name }))
    },
  })
  const newName = name.trim()
  const isNameValid = newName !== '' && newName.length <= maxName && newName !== holder.name
  return (
    <Dialog
      size="sm"
      onClose={onClose}
      title={t('register:holder.renameTitle', { holder: holder.name })}
      description={t('register:holder.renameText')}
      mutation={renameHolder}
      action={{
        label: t('common:save'),
        disabled: !isNameValid,
        onSubmit: () => {
          if (isNameValid && !renameHolder.isPending) renameHolder.mutate({ holder, name: newName })
        },
      }}
    >
      <TextField label={t('register:sheet.name')} required autoFocus value={name} onChange={setName} />
    </Dialog>
  )
}

function Person({ held }: { readonly held: KeysOfHolder }) {
  const { isAsking } = useRegister()
  const enableKey = useEnableKeys()
  const [isRenaming, setRenaming] = useState(false)
  const [revoked, setRevoked] = useState<RevokedKeys>()
  const { holder, entries } = held
  const unconfirmedCount = entries.filter(isUnacknowledged).length
  const entriesToDelete = entries.filter(({ deleteAt }) => deleteAt !== undefined)
  const [deleteAt] = entriesToDelete.flatMap((entry) => entry.deleteAt ?? []).toSorted()
  const keysToRevoke = listKeysToDelete(held)
  return (
    <>
      <PageHeader
        title={holder.name}
        breadcrumb={[
          { label: t('title'), to: registerPath },
          { label: t('tabs.holders'), to: holdersPath },
        ]}
        state={[
          t(`kinds.${holder.kind}`),
          t('counts', { count: entries.length }),
          unconfirmedCount > 0 && t('unacknowledgedCount', { count: unconfirmedCount }),
        ]}
        actions={[
          { label: t('holder.rename'), icon: Pencil, onClick: () => setRenaming(true) },
          {
            label: t('holders.leave'),
            icon: UserX,
            disabled: isAsking || keysToRevoke.length === 0 || entriesToDelete.length > 0,
            onClick: () => setRevoked({ entries: keysToRevoke, holder: holder.name, isLeaving: true }),
          },
          { label: t('handOut'), variant: 'primary', icon: Send, to: handoutPath({ to: holderId(holder) }) },
        ]}
      />
      {deleteAt === undefined ? null : (
        <Callout
          tone="warning"
          title={t('holder.left')}
          actions={[{ label: t('holder.undoLeave'), icon: Undo2, onClick: () => void enableKey(entriesToDelete) }]}
        >
          {t('holder.leftText', { date: formatDate(deleteAt) })}
        </Callout>
      )}
      <Section title={t('tabs.keys')}>
        <Rows label={t('holders.keysOf', { holder: holder.name })}>
          {entries.map((entry) => (
            <KeyRow key={entryKey(entry)} {...{ entry, holder }} onRevoke={() => setRevoked({ entries: [entry] })} />
          ))}
        </Rows>
      </Section>
      {isRenaming ? <RenameDialog holder={holder} onClose={() => setRenaming(false)} /> : null}
      {revoked ? <RevokeDialog {...revoked} onClose={() => setRevoked(undefined)} /> : null}
    </>
  )
}

export function HolderPage() {
  const { holderId: id = '' } = useParams()
  const query = useRegister()
  return (
    <Page>
      <Loaded query={query} rows={6}>
        {(entries) => {
          const holders = listHolders(entries.filter(({ status }) => status !== 'gone'))
          const holderEntry = holders.find(({ holder }) => holderId(holder) === id)
          if (holderEntry) return <Person held={holderEntry} />
          if (query.isAsking) return <SkeletonRows rows={6} />
          return (
            <EmptyState
              icon={UserRound}
              title={t('holder.gone')}
              actions={[{ label: t('holder.toHolders'), to: holdersPath }]}
            />
          )
        }}
      </Loaded>
    </Page>
  )
}
