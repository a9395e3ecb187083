import type { RegisterEntry } from '@shared/contract'
import { ListChecks, RotateCw, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatList, toSearchText, useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { registerPath, rotateKeyPath } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState, PageHeader, Toolbar } from '../../ui/page'
import { Facts, Row, RowMark, Rows } from '../../ui/rows'
import { SearchField } from '../../ui/search-field'
import { SkeletonRows } from '../../ui/skeleton'
import { entryKey, isCurrentKey, type RotatableKey, rotatableKeys, useKeyHint, useToolNames } from '../account'

interface KeyRowProps {
  readonly of: RotatableKey
  readonly entry: RegisterEntry | undefined
}

function KeyRow({ of, entry }: KeyRowProps) {
  const { t } = useTranslation(['rotation', 'register'])
  const { locale } = useFormats()
  const hintOf = useKeyHint()
  const { plan, key } = of
  const planTools = useToolNames(plan.keys.length === 1 ? plan.usedBy : [])
  const tools = entry?.tools ?? planTools
  const to = rotateKeyPath(of)
  return (
    <Row
      leading={
        <RowMark>
          <RotateCw size={14} strokeWidth={1.8} />
        </RowMark>
      }
      title={key.name}
      to={to}
      description={
        <Facts
          items={[
            plan.name,
            isCurrentKey(key) ? <code key="masked">{key.masked}</code> : hintOf(key),
            entry?.holder && t('rotation:many.heldBy', { holder: entry.holder.name }),
            tools.length > 0 ? formatList(tools, locale) : entry && t('rotation:choose.unused'),
          ]}
        />
      }
      trailing={
        <ButtonLink
          size="sm"
          to={to}
          aria-label={t('rotation:rotateNamed', { key: t('register:keyOfPlan', { key: key.name, plan: plan.name }) })}
        >
          {t('rotation:rotateMenu')}
        </ButtonLink>
      }
    />
  )
}

function NoKeys() {
  const { t } = useTranslation('rotation')
  return (
    <EmptyState
      icon={RotateCw}
      title={t('choose.none')}
      actions={
        <ButtonLink variant="primary" to="/plans">
          {t('choose.toPlans')}
        </ButtonLink>
      }
    >
      {t('choose.noneText')}
    </EmptyState>
  )
}

/** Beyond so many keys a search helps. */
const fewKeys = 6

/** So many are drawn at first, and more with each press. */
const shownKeys = 50

function Keys({ keys }: { readonly keys: readonly RotatableKey[] }) {
  const { t } = useTranslation('rotation')
  const [text, setText] = useState('')
  const [most, setMost] = useState(shownKeys)
  const { data: entries } = useCall('register.list', {})
  // An account may have tens of thousands of keys: each is looked up, not searched for.
  const noted = useMemo(() => new Map(entries?.map((entry) => [entryKey(entry), entry])), [entries])
  const rows = keys.map((of) => ({ of, entry: noted.get(entryKey(of)) }))
  const found = rows.filter(({ of, entry }) =>
    toSearchText(`${of.key.name} ${of.plan.name} ${entry?.holder?.name ?? ''}`).includes(toSearchText(text.trim())),
  )
  return (
    <>
      {keys.length > fewKeys ? (
        <Toolbar>
          <SearchField
            label={t('choose.search')}
            value={text}
            onChange={setText}
            found={{ shown: found.length, count: keys.length }}
            hasFindKey
          />
        </Toolbar>
      ) : null}
      {found.length === 0 ? (
        <EmptyState icon={Search} title={t('choose.noMatch', { text })} />
      ) : (
        <Rows label={t('choose.list')}>
          {found.slice(0, most).map(({ of, entry }) => (
            <KeyRow key={`${of.planId} ${of.keyId}`} of={of} entry={entry} />
          ))}
        </Rows>
      )}
      {found.length > most ? (
        <div>
          <Button onClick={() => setMost(most + shownKeys)}>{t('choose.more', { count: found.length - most })}</Button>
        </div>
      ) : null}
    </>
  )
}

/** Which key to rotate, where none was named. */
export function ChooseKey() {
  const { t } = useTranslation(['rotation', 'register'])
  const plans = useCall('plans.list', {})
  return (
    <>
      <PageHeader
        title={t('rotation:title')}
        state={t('rotation:choose.state')}
        breadcrumb={[{ label: t('register:title'), to: registerPath }]}
        actions={
          <ButtonLink icon={ListChecks} to={registerPath}>
            {t('rotation:choose.several')}
          </ButtonLink>
        }
      />
      <Loaded query={plans} skeleton={<SkeletonRows rows={4} />}>
        {(all) => {
          const keys = rotatableKeys(all)
          return keys.length === 0 ? <NoKeys /> : <Keys keys={keys} />
        }}
      </Loaded>
    </>
  )
}
