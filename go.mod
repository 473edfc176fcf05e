module cascadesim

go 1.26
