import styles from './sparkline.module.css'

const [width, height] = [72, 18]

/** Values over time as a small line; what it says in words is its name. */
export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(...values, 1)
  const at = (index: number): number => (values.length < 2 ? width : (index * width) / (values.length - 1))
  const points = values.map((value, index) => `${at(index)},${height - 1 - (value / most) * (height - 2)}`)
  return (
    <svg role="img" aria-label={label} width={width} height={height} className={styles.line}>
      <title>{label}</title>
      <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} className={styles.area} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}
