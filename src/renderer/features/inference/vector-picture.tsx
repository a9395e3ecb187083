import styles from './inference.module.css'

const height = 20
const barWidth = 3

/** The first numbers of a vector as bars above and below a line; a picture of its shape, the numbers stand beside it. */
export function VectorPicture({ numbers }: { readonly numbers: readonly number[] }) {
  const most = Math.max(...numbers.map(Math.abs), Number.MIN_VALUE)
  const bars = numbers.map((number, at) => ({ at, size: (Math.abs(number) / most) * (height / 2), isUp: number >= 0 }))
  return (
    <svg className={styles.picture} width={numbers.length * barWidth} height={height} aria-hidden="true">
      {bars.map(({ at, size, isUp }) => (
        <rect
          key={at}
          x={at * barWidth}
          y={isUp ? height / 2 - size : height / 2}
          width={barWidth - 1}
          height={Math.max(size, 0.5)}
        />
      ))}
    </svg>
  )
}
