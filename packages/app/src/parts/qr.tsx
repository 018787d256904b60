import { useEffect, useState } from 'preact/hooks'

/** Light modules around the code (ISO/IEC 18004, 5.3.8). */
const QUIET_ZONE = 4

/** A QR code, dark on white whatever the colours are: many scanners read nothing else. */
export function Qr({ value, label }: { readonly value: string; readonly label: string }) {
  const [rows, setRows] = useState<readonly (readonly boolean[])[]>([])
  useEffect(() => {
    let isWanted = true
    void import('qr').then(({ encodeQR }) => {
      if (isWanted) setRows(encodeQR(value, 'raw', { ecc: 'medium', border: QUIET_ZONE }))
    })
    return () => {
      isWanted = false
    }
  }, [value])
  const path = rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('')
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shape-rendering="crispEdges"
    >
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
