package measure

import "math"

// Point is what a size costs.
type Point struct{ Size, Cost float64 }

// Exponent fits cost = a·size^b through all points, by least squares over their logarithms, and returns b: 1 is linear.
func Exponent(points []Point) float64 {
	var sumX, sumY, sumXX, sumXY float64
	for _, p := range points {
		x, y := math.Log(p.Size), math.Log(p.Cost)
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	n := float64(len(points))
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}
