import { holderId } from '@shared/key-ids'
import { Search, UserRound, UserX } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatList, toSearchText, useFormats } from '../../../format'
import { Loaded } from '../../../loaded'
import { holderPath, registerPath } from '../../../paths'
import { EmptyState, Toolbar } from '../../../ui/page'
import { InlineDetails, Row, RowIcon } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { SkeletonRows } from '../../../ui/skeleton'
import { VirtualRows } from '../../../ui/virtual-table'
import { entryKey, holderIcon, needsHandout } from '../../connections/account'
import { type KeysOfHolder, listHolderNames, listHolders, listKeysToDelete, useRegister } from './entries'
import { EntryStatus } from './register-table'
import { RevokeDialog } from './revoke-dialog'

const toHolderName = ({ holder }: KeysOfHolder): string => holder.name
/** Row height in px, one line per key. */
const getHeight = ({ entries }: KeysOfHolder): number => 38 + 20 * Math.max(1, entries.length)

function Holders({ all: allHolders, isAsking }: { readonly all: readonly KeysOfHolder[]; readonly isAsking: boolean }) {
  const { t } = useTranslation('register')
  const { locale } = useFormats()
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
                              otherHolders.length > 0 && t('alsoServes', { names: formatList(otherHolders, locale) }),
                              tools.length > 0 && formatList(tools, locale),
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
  const { t } = useTranslation('register')
  return (
    <Loaded query={query} rows={6}>
      {(entries) => {
        const allHolders = listHolders(entries.filter(({ status }) => status !== 'gone'))
        if (allHolders.length > 0) return <Holders all={allHolders} isAsking={query.isAsking} />
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
