import { ListChecks, RotateCw, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatList, toSearchText, useFormats } from '../../../format'
import { useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { registerPath, rotateKeyPath } from '../../../paths'
import { EmptyState, PageHeader, Toolbar } from '../../../ui/page'
import { InlineDetails, Row, RowIcon } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { VirtualRows } from '../../../ui/virtual-table'
import {
  entryKey,
  isCurrentKey,
  type RotatableKey,
  rotatableKeys,
  useKeyHint,
  useToolName,
} from '../../connections/account'

const searchMinKeys = 6

const toId = ({ of }: { readonly of: RotatableKey }): string => entryKey(of)
const getHeight = (): number => 57

function Keys({ keys }: { readonly keys: readonly RotatableKey[] }) {
  const { t } = useTranslation(['rotation', 'register'])
  const { locale } = useFormats()
  const [text, setText] = useState('')
  const { data: entries } = useCall('register.list', {})
  // Use a map, because an account may have tens of thousands of keys.
  const entriesByKey = useMemo(() => new Map(entries?.map((entry) => [entryKey(entry), entry])), [entries])
  const getKeyHint = useKeyHint()
  const getToolName = useToolName()
  const foundKeys = useMemo(() => {
    const searchText = toSearchText(text.trim())
    return keys
      .map((rotatableKey) => ({ of: rotatableKey, entry: entriesByKey.get(entryKey(rotatableKey)) }))
      .filter(({ of: { key, plan }, entry }) =>
        toSearchText(`${key.name} ${plan.name} ${entry?.holder?.name ?? ''}`).includes(searchText),
      )
  }, [keys, entriesByKey, text])
  return (
    <>
      {keys.length > searchMinKeys ? (
        <Toolbar>
          <SearchField
            label={t('rotation:choose.search')}
            value={text}
            onChange={setText}
            found={{ shown: foundKeys.length, count: keys.length }}
            hasFindKey
          />
        </Toolbar>
      ) : null}
      {foundKeys.length === 0 ? (
        <EmptyState icon={Search} title={t('rotation:choose.noMatch', { text })} />
      ) : (
        <VirtualRows label={t('rotation:choose.list')} items={foundKeys} toKey={toId} getHeight={getHeight}>
          {({ of, entry }, place) => {
            const { plan, key } = of
            const tools = entry?.tools ?? (plan.keys.length === 1 ? plan.usedBy.map(getToolName) : [])
            const rotatePath = rotateKeyPath(of)
            return (
              <Row
                key={entryKey(of)}
                place={place}
                leading={<RowIcon icon={RotateCw} />}
                title={key.name}
                to={rotatePath}
                description={
                  <InlineDetails
                    items={[
                      plan.name,
                      isCurrentKey(key) ? <code key="masked">{key.masked}</code> : getKeyHint(key),
                      entry?.holder && t('rotation:many.heldBy', { holder: entry.holder.name }),
                      tools.length > 0 ? formatList(tools, locale) : entry && t('rotation:choose.unused'),
                    ]}
                  />
                }
                trailing={[
                  {
                    label: t('rotation:rotateMenu'),
                    to: rotatePath,
                    'aria-label': t('rotation:rotateNamed', {
                      key: t('register:keyOfPlan', { key: key.name, plan: plan.name }),
                    }),
                  },
                ]}
              />
            )
          }}
        </VirtualRows>
      )}
    </>
  )
}

export function ChooseKey() {
  const { t } = useTranslation(['rotation', 'register'])
  const plans = useCall('plans.list', {})
  const keys = useMemo(() => rotatableKeys(plans.data ?? []), [plans.data])
  return (
    <>
      <PageHeader
        title={t('rotation:title')}
        state={t('rotation:choose.state')}
        breadcrumb={[{ label: t('register:title'), to: registerPath }]}
        actions={[{ label: t('rotation:choose.several'), icon: ListChecks, to: registerPath }]}
      />
      <Loaded query={plans} rows={4}>
        {() =>
          keys.length === 0 ? (
            <EmptyState
              icon={RotateCw}
              title={t('rotation:choose.none')}
              next={{ to: '/plans', label: t('rotation:choose.toPlans') }}
            >
              {t('rotation:choose.noneText')}
            </EmptyState>
          ) : (
            <Keys keys={keys} />
          )
        }
      </Loaded>
    </>
  )
}
