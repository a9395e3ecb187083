import type { HeldSecret } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useFormats } from '../../format'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { isObject, isPlain, textOf } from './lookup'
import type { Json } from './resource'
import styles from './resources.module.css'

/** How many entries of a list are drawn before one asks for more. */
const mostAtFirst = 50

interface TreeProps {
  readonly data: Json
  /** Secrets by where they stood, as a JSON pointer. */
  readonly secrets?: readonly HeldSecret[]
  readonly renderSecret?: ((secret: HeldSecret) => ReactNode) | undefined
}

interface NodeProps extends TreeProps {
  readonly name: string
  readonly at: string
  readonly depth: number
}

const pointer = (at: string, name: string): string => `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

const isMoment = (value: Json): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value) &&
  !Number.isNaN(Date.parse(value))

/** How long a list of plain values may be, in characters, to stand in one line. */
const longestLine = 100

const isLeaf = (value: Json): boolean =>
  typeof value !== 'object' ||
  textOf(value) === '' ||
  (Array.isArray(value) && value.every(isPlain) && textOf(value).length <= longestLine)

function Leaf({ name, data, at, secrets = [], renderSecret }: NodeProps) {
  const { t } = useTranslation(['resources', 'common'])
  const { dateTime } = useFormats()
  const secret = secrets.find((one) => one.at === at)
  const text = textOf(data)
  return (
    <li className={styles.leaf}>
      <span className={styles.fieldName} title={at}>
        {withVisibleControls(name)}
      </span>
      <span className={styles.fieldValue}>
        {text === '' ? (
          <span className={styles.nothing}>{data === null ? 'null' : t('resources:emptyValue')}</span>
        ) : (
          <Code quiet wrap>
            {withVisibleControls(text)}
          </Code>
        )}
        {isMoment(data) ? <span className={styles.aside}>{dateTime(data)}</span> : null}
      </span>
      {secret && renderSecret ? (
        renderSecret(secret)
      ) : text === '' || secret ? null : (
        <CopyText text={text} label={t('common:copyNamed', { what: name })} />
      )}
    </li>
  )
}

function Branch(props: NodeProps) {
  const { t } = useTranslation('resources')
  const { name, data, depth } = props
  const [isOpen, setIsOpen] = useState(depth < 2)
  const entries = Array.isArray(data) ? data.length : Object.keys(isObject(data) ? data : {}).length
  return (
    <li>
      <details className={styles.branch} open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          <span className={styles.fieldName}>{withVisibleControls(name)}</span>
          <span className={styles.aside}>
            {Array.isArray(data) ? t('entries', { count: entries }) : t('fields', { count: entries })}
          </span>
        </summary>
        {isOpen ? <Level {...props} /> : null}
      </details>
    </li>
  )
}

function Level({ data, at, depth, secrets = [], renderSecret }: Omit<NodeProps, 'name'>) {
  const { t } = useTranslation('resources')
  const [isWhole, setIsWhole] = useState(false)
  const all: readonly (readonly [string, Json])[] = Array.isArray(data)
    ? data.map((value, index) => [String(index), value] as const)
    : Object.entries(isObject(data) ? data : {})
  const shown = isWhole ? all : all.slice(0, mostAtFirst)
  return (
    <ul className={styles.level}>
      {shown.map(([name, value]) => {
        const props = { name, data: value, at: pointer(at, name), depth: depth + 1, secrets, renderSecret }
        return isLeaf(value) ? <Leaf key={name} {...props} /> : <Branch key={name} {...props} />
      })}
      {shown.length < all.length ? (
        <li className={styles.moreEntries}>
          <Button size="sm" variant="ghost" onClick={() => setIsWhole(true)}>
            {t('showAll', { count: all.length })}
          </Button>
        </li>
      ) : null}
    </ul>
  )
}

/** Every field of an answer, known or not, as it came: names as the server writes them, objects and lists folded, each value with copy. */
export function FieldsTree({ data, secrets = [], renderSecret }: TreeProps) {
  const { t } = useTranslation('resources')
  const isEmpty = isObject(data) ? Object.keys(data).length === 0 : Array.isArray(data) && data.length === 0
  if (isEmpty) return <p className={styles.quiet}>{t('noFields')}</p>
  if (typeof data !== 'object' || data === null) {
    return (
      <ul className={styles.level}>
        <Leaf name={t('answer')} at="" depth={0} {...{ data, secrets, renderSecret }} />
      </ul>
    )
  }
  return (
    <div className={styles.tree}>
      <Level at="" depth={0} {...{ data, secrets, renderSecret }} />
    </div>
  )
}
