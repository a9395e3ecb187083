import type { ConnectionView } from '@shared/contract'
import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useFormats } from '../../format'
import { Code } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { KeyValue } from '../../ui/key-value'
import { Menu } from '../../ui/menu'
import { Card, Section } from '../../ui/page'
import { shownAddresses } from './address-groups'
import styles from './connections.module.css'

interface ConnectionCardProps {
  readonly connection: ConnectionView
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function Addresses({ connection }: { readonly connection: ConnectionView }) {
  const { t } = useTranslation('connections')
  const { locale } = useFormats()
  const nameOf = (key: (typeof shownAddresses)[number]): string => t(`addresses.${key}.name`)
  const unset = shownAddresses.filter((key) => !connection.addresses[key])
  const items = shownAddresses.flatMap((key) => {
    const address = connection.addresses[key]
    if (!address) return []
    const action = <CopyText key={key} text={address} label={t('copy', { name: nameOf(key) })} />
    return [
      {
        label: nameOf(key),
        value: (
          <Code key={key} quiet>
            {address}
          </Code>
        ),
        action,
      },
    ]
  })
  const names = new Intl.ListFormat(locale).format(unset.map(nameOf))
  return (
    <>
      {items.length > 0 ? <KeyValue items={items} /> : <p className={styles.quiet}>{t('allUnset')}</p>}
      {unset.length > 0 && items.length > 0 ? <p className={styles.unset}>{t('unset', { names })}</p> : null}
    </>
  )
}

/** One connection: its name, its addresses to read and copy, and what can be done with it. */
export function ConnectionCard({ connection, onEdit, onRemove }: ConnectionCardProps) {
  const { t } = useTranslation('connections')
  const filled = shownAddresses.filter((key) => connection.addresses[key]).length
  return (
    <Section
      title={connection.name}
      description={t('filled', { filled, count: shownAddresses.length })}
      actions={
        <Menu
          align="end"
          trigger={<IconButton icon={Ellipsis} label={t('actions', { name: connection.name })} />}
          items={[
            { label: t('edit'), icon: Pencil, onSelect: onEdit },
            { label: t('remove'), icon: Trash2, danger: true, onSelect: onRemove },
          ]}
        />
      }
    >
      <Card>
        <Addresses connection={connection} />
      </Card>
    </Section>
  )
}
